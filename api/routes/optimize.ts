/** POST /optimize: the ranked plans of a problem, of whichever mode. */
import type { RequestHandler } from 'express'
import { sendAnswer } from '../answer.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { validated } from '../request-validation.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { timedSearch } from '../timed-search.ts'

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
