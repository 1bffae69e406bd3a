/** One search of a route: under its deadline, measured. */
import type { Request, Response } from 'express'
import { beforeDeadline } from './deadline.ts'
import type { Dependencies } from './dependencies.ts'
import type { Metrics } from './metrics.ts'
import { bodyOf, type Reply } from './reply.ts'
import type { Searched, Terms } from './search.ts'

export async function timedSearch<Answer>(
  { clock, lifecycle }: Dependencies,
  metrics: Metrics,
  { request, response, timeoutMs }: { request: Request; response: Response; timeoutMs: number },
  search: (terms: Terms) => Promise<Searched<Reply<Answer>>>,
): Promise<Searched<Answer>> {
  const route = String(request.route.path)
  const start = clock()
  let reply: Reply<Answer> | undefined
  try {
    const found = await beforeDeadline(response, { timeoutMs, stopping: lifecycle.stopping }, search)
    const { elapsedMs, waitedMs } = found
    metrics.searched(route, 'answered', { elapsedMs, waitedMs })
    response.set('server-timing', `wait;dur=${waitedMs.toFixed(1)}, search;dur=${elapsedMs.toFixed(1)}`)
    reply = found.answer
    return { elapsedMs, waitedMs, answer: bodyOf(found.answer) }
  } catch (error) {
    if (!reply) metrics.searched(route, 'failed', { elapsedMs: clock() - start, waitedMs: 0 })
    throw error
  }
}
