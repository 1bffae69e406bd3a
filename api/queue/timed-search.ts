/** Runs one search of a route: under its deadline, and measured. */
import type { Request, Response } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { clientOf } from '../http/client.ts'
import { entityTag, refuseUnchanged, setEntityTag } from '../http/entity-tag.ts'
import { tellingOf } from '../http/telling.ts'
import { type Reply, type Written, writtenOf } from '../worker/reply.ts'
import { beforeDeadline } from './deadline.ts'
import type { Searched, Terms } from './search.ts'

/** Values of the header `Cache-Status` (RFC 9211). */
const cacheStatus = {
  searched: 'shardplan; fwd=miss',
  shared: 'shardplan; fwd=miss; collapsed',
  kept: 'shardplan; hit',
} as const

export async function timedSearch(
  { build, clock, lifecycle, metrics }: Dependencies,
  { request, response, timeoutMs }: { request: Request; response: Response; timeoutMs: number },
  search: (terms: Terms) => Promise<Searched<Reply>>,
): Promise<Searched<Written>> {
  const route = String(request.route.path)
  const tag = entityTag(build, request)
  refuseUnchanged(request, tag)
  const client = clientOf(request, response)
  const start = clock()
  let reply: Reply | undefined
  try {
    const tell = tellingOf(request)
    const told = tell.as || tell.fields.length > 0 ? { tell } : {}
    response.vary('accept')
    const found = await beforeDeadline(
      response,
      { timeoutMs, client, stopping: lifecycle.stopping },
      (terms) => search({ ...terms, ...told }),
    )
    const { elapsedMs, waitedMs, source } = found
    metrics.answered(route, source ?? 'searched')
    if (!source) metrics.searched(route, 'answered', { elapsedMs, waitedMs })
    response.set('cache-status', cacheStatus[source ?? 'searched'])
    setEntityTag(response, tag, !found.cut)
    response.set('server-timing', `wait;dur=${waitedMs.toFixed(1)}, search;dur=${elapsedMs.toFixed(1)}`)
    reply = found.answer
    return { elapsedMs, waitedMs, answer: writtenOf(found.answer) }
  } catch (error) {
    if (!reply) metrics.searched(route, 'failed', { elapsedMs: clock() - start, waitedMs: 0 })
    throw error
  }
}
