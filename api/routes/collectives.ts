/** POST /collectives: the time of one collective on its own. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { collectiveRequest } from '../schemas/collective.ts'
import { validated } from '../validation/request-validation.ts'

/** Far more than one collective takes. */
const timeoutMs = 10_000

export function collectivesRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const asked = validated(collectiveRequest, request.body)
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.collective(asked, terms),
    )
    sendAnswer(response, answered)
  }
}
