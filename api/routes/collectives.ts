/** POST /collectives: the time of one collective on its own. */
import type { RequestHandler } from 'express'
import { sendAnswer } from '../answer.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { validated } from '../request-validation.ts'
import { collectiveRequest } from '../schemas/collective.ts'
import { timedSearch } from '../timed-search.ts'

/** Far more than it takes. */
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
