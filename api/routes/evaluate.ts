/** POST /evaluate: what one given plan costs. */
import type { RequestHandler } from 'express'
import { sendAnswer } from '../answer.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { validated } from '../request-validation.ts'
import { evaluateLaunchRequest, evaluateRequest } from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import { timedSearch } from '../timed-search.ts'

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
