/**
 * A key in the header `Authorization: Bearer`, where the service has keys. Keys are compared by their hashes, so that the time it takes
 * says nothing of them. Whose request it is stays with the response, for what is counted by client.
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

/** RFC 6750: of a request that brought no key nothing is said but that one is needed. */
function unauthorized(brought: boolean): ProblemError {
  const [detail, challenge] = brought
    ? ['The key is not known here.', 'Bearer realm="shardplan", error="invalid_token"']
    : ['This service asks for a key: `authorization: Bearer <key>`.', 'Bearer realm="shardplan"']
  return new ProblemError('unauthorized', detail, [], { 'www-authenticate': challenge })
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
