/** POST /evaluate: the cost of one given plan. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { evaluateAsked } from '../validation/written-plan.ts'
import { searchRoute } from './search-route.ts'

export function evaluateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return searchRoute(dependencies, metrics, evaluateAsked, (asked, terms) => search.evaluate(asked, terms))
}
