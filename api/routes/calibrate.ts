/** POST /calibrate: sets constants from measured runs. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { calibrateAsked } from '../validation/measured-runs.ts'
import { searchRoute } from './search-route.ts'

export function calibrateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return searchRoute(dependencies, metrics, calibrateAsked, (asked, terms) => search.calibrate(asked, terms))
}
