/**
 * A tag for the answer to a POST: the same for the same request to the same build, as an answer depends on nothing
 * else. With `If-None-Match` a client gets an answer only if it differs from those it has. RFC 9110 reserves 304 for
 * GET and HEAD; other methods get 412. The tag is weak because the time that the search took differs.
 */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { ProblemError } from '../problems.ts'
import { canonical } from '../queue/canonical.ts'

/** The tag of a valid request. `timeoutMs` is left out, as it does not change what is asked. */
export function entityTag(build: string, request: Request): string {
  const { originalUrl, body } = request
  const asked = canonical({ ...body, timeoutMs: undefined })
  const hash = createHash('sha256').update(JSON.stringify([build, originalUrl, request.get('accept'), asked]))
  return `W/"${hash.digest('base64url').slice(0, 27)}"`
}

export function refuseUnchanged(request: Request, tag: string): void {
  const known = (request.get('if-none-match') ?? '').split(',').map((each) => each.trim())
  if (!known.some((each) => each === tag || `W/${each}` === tag)) return
  throw new ProblemError(
    'unchanged',
    'The answer to this request has the entity tag that If-None-Match names.',
    [],
    {
      etag: tag,
    },
  )
}

/** Clients may store a complete answer and revalidate it by its tag, but not one that was cut short. */
export function setEntityTag(response: Response, tag: string, whole: boolean): void {
  if (whole) response.set({ etag: tag, 'cache-control': 'private, no-cache' })
  else response.set('cache-control', 'no-store')
}
