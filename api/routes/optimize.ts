/** POST /optimize: the ranked plans of a problem, of whichever mode. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { validated } from '../validation/request-validation.ts'

export function optimizeRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const asked = validated(optimizeRequest, request.body)
    const { timeoutMs } = asked
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.optimize(asked, terms),
    )
    sendAnswer(response, answered)
  }
}
