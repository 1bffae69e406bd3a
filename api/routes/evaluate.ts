/** POST /evaluate: what one given plan costs. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { evaluateLaunchRequest, evaluateRequest } from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import { validated } from '../validation/request-validation.ts'

export function evaluateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const { body } = request
    const asked = isLaunch(body) ? validated(evaluateLaunchRequest, body) : validated(evaluateRequest, body)
    const { timeoutMs } = asked
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.evaluate(asked, terms),
    )
    sendAnswer(response, answered)
  }
}
