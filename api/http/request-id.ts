/** Gives every request an id: the caller's if it is valid, otherwise a new one. Every response repeats it. */
import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'

const sane = /^[A-Za-z0-9._-]{1,64}$/

export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id')
  response.setHeader('x-request-id', given !== undefined && sane.test(given) ? given : randomUUID())
  next()
}

export function idOf(response: Response): string {
  return String(response.getHeader('x-request-id') ?? '')
}
