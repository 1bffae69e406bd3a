/** Limits requests per minute from one address, over all routes but the probes. */
import type { RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ProblemError } from '../problems.ts'
import { addressOf } from './client.ts'

export function limitedRate(requestsPerMinute: number): RequestHandler {
  if (requestsPerMinute === 0) return (_request, _response, next) => next()
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: addressOf,
    validate: { xForwardedForHeader: false },
    handler: (_request, _response, next) => {
      next(new ProblemError('too-many-requests', `More than ${requestsPerMinute} requests in a minute.`))
    },
  })
}
