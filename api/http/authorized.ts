/**
 * Requires a key in the header `Authorization: Bearer`, if the service has keys. Keys are compared by their hashes, so
 * that the time taken reveals nothing about them. The client is kept with the response, for limits per client.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'
import { setClient } from './client.ts'

export function authorized(keys: readonly string[]): RequestHandler {
  if (keys.length === 0) return (_request, _response, next) => next()
  const known = keys.map(hashOf)
  return (request, response, next) => {
    const [, token] = /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '') ?? []
    const given = token === undefined ? undefined : hashOf(token)
    if (!given || !known.some((key) => timingSafeEqual(key, given))) throw unauthorized(token !== undefined)
    setClient(response, `key ${given.toString('hex', 0, 8)}`)
    next()
  }
}

/** RFC 6750: a request without a key is told only that one is needed. */
function unauthorized(brought: boolean): ProblemError {
  const [detail, challenge] = brought
    ? ['The key is not known here.', 'Bearer realm="shardplan", error="invalid_token"']
    : ['This service asks for a key: `authorization: Bearer <key>`.', 'Bearer realm="shardplan"']
  return new ProblemError('unauthorized', detail, [], { 'www-authenticate': challenge })
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
