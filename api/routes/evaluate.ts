/** POST /evaluate: what one given plan costs. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { evaluateLaunchRequest, evaluateRequest } from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import { validated } from '../validation/request-validation.ts'
import { searchRoute } from './search-route.ts'

export function evaluateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return searchRoute(
    dependencies,
    metrics,
    (body) => (isLaunch(body) ? validated(evaluateLaunchRequest, body) : validated(evaluateRequest, body)),
    (asked, terms) => search.evaluate(asked, terms),
  )
}
