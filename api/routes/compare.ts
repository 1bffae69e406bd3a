/** POST /compare: compares plans or requests, and says why one takes longer. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { compareRequest } from '../schemas/compare.ts'
import { validated } from '../validation/request-validation.ts'
import { comparisonOf } from '../validation/variants.ts'
import { searchRoute } from './search-route.ts'

export function compareRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return searchRoute(
    dependencies,
    metrics,
    (body) => comparisonOf(validated(compareRequest, body)),
    (asked, terms) => search.compare(asked, terms),
  )
}
