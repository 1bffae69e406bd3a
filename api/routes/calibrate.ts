/** POST /calibrate: constants set on measured runs. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { calibrateRequest } from '../schemas/calibrate.ts'
import { validated } from '../validation/request-validation.ts'

export function calibrateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const asked = validated(calibrateRequest, request.body)
    const { timeoutMs } = asked
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.calibrate(asked, terms),
    )
    sendAnswer(response, answered)
  }
}
