/**
 * A tag for the answer to a POST: the same for the same request to the same build, as answers follow from nothing else. With it a client
 * asks, by `If-None-Match`, for an answer only if it is another one than it has. RFC 9110 has a 304 for that in GET and HEAD alone; of other
 * methods it is a 412. It is weak: what differs is how long the search took.
 */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { ProblemError } from '../problems.ts'
import { canonical } from '../queue/canonical.ts'

/** Of a request that was held to its schema. The time that a search may take is no part of what is asked. */
export function entityTag(build: string, request: Request): string {
  const { originalUrl, body } = request
  const asked = canonical({ ...body, timeoutMs: undefined })
  const hash = createHash('sha256').update(JSON.stringify([build, originalUrl, request.get('accept'), asked]))
  return `W/"${hash.digest('base64url').slice(0, 27)}"`
}

export function refuseUnchanged(request: Request, tag: string): void {
  const known = (request.get('if-none-match') ?? '').split(',').map((each) => each.trim())
  if (!known.some((each) => each === tag || `W/${each}` === tag)) return
  throw new ProblemError('unchanged', 'The answer to this request is the one that has this tag.', [], {
    etag: tag,
  })
}

/** An answer that is whole may be kept by who asked, to be asked for again by its tag; one that was cut may not. */
export function setEntityTag(response: Response, tag: string, whole: boolean): void {
  if (whole) response.set({ etag: tag, 'cache-control': 'private, no-cache' })
  else response.set('cache-control', 'no-store')
}
