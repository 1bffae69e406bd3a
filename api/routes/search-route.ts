/** A route that one search answers: validates the body, and searches under the deadline that it sets. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Searched, Terms } from '../queue/search.ts'
import { timedSearch } from '../queue/timed-search.ts'
import type { Reply } from '../worker/reply.ts'

export function searchRoute<Asked extends { readonly timeoutMs: number }>(
  dependencies: Dependencies,
  metrics: Metrics,
  askedIn: (body: unknown) => Asked,
  search: (asked: Asked, terms: Terms) => Promise<Searched<Reply>>,
): RequestHandler {
  return async (request, response) => {
    const asked = askedIn(request.body)
    const { timeoutMs } = asked
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search(asked, terms),
    )
    sendAnswer(response, answered)
  }
}
