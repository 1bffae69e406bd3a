/** Rejects a client that accepts none of a route's types before anything is searched, and lists them. */
import type { RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'

export function acceptable(types: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (request.accepts([...types]) !== false) return next()
    const asked = (request.get('accept') ?? '').slice(0, 100)
    throw new ProblemError('not-acceptable', `Accept is ${asked}; the answer may be ${types.join(', ')}.`)
  }
}
