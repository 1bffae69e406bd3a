/** POST /optimize: ranked plans for a problem in any mode. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { validated } from '../validation/request-validation.ts'
import { searchRoute } from './search-route.ts'

export function optimizeRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return searchRoute(
    dependencies,
    metrics,
    (body) => validated(optimizeRequest, body),
    (asked, terms) => search.optimize(asked, terms),
  )
}
