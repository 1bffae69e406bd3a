/** A route that one search answers: validates the body, and searches under the deadline that it sets. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Asks, Task } from '../queue/search.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { asked } from '../validation/asked.ts'

/** For a request that sets no deadline, as that of one collective: far more than it takes. */
const usualTimeoutMs = 10_000

export function searchRoute<Name extends Task>(dependencies: Dependencies, task: Name): RequestHandler {
  const asks: Asks = dependencies.search
  return async (request, response) => {
    const subject = asked[task](request.body)
    const { timeoutMs } = { timeoutMs: usualTimeoutMs, ...subject }
    const answered = await timedSearch(dependencies, { request, response, timeoutMs }, (terms) =>
      asks[task](subject, terms),
    )
    sendAnswer(response, answered)
  }
}
