/** Sends any error as a problem document (RFC 9457). An unforeseen one becomes a 500 without internal details, and is logged. */
import type { ErrorRequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { ProblemError, type ProblemSlug, problems } from '../problems.ts'
import type { ProblemDocument } from '../schemas/problem.ts'
import { idOf } from './request-id.ts'

export function problemResponses(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (response.headersSent || response.destroyed || response.closed) {
      response.destroy()
      return
    }
    const problem = error instanceof ProblemError ? error : foreignProblem(error)
    if (problem.slug === 'internal-error') log.error({ err: error, id: idOf(response) }, 'unforeseen')
    sendProblem(response, problem)
  }
}

export function sendProblem(response: Response, { slug, message, faults, headers }: ProblemError): void {
  const { title, status } = problems[slug]
  const document: ProblemDocument = {
    type: `/problems/${slug}`,
    title,
    status,
    detail: message,
    instance: idOf(response),
    ...(faults.length ? { errors: faults.map(fault) } : {}),
  }
  response.removeHeader('etag')
  response.set('cache-control', 'no-store')
  response.status(status).set(headers).type('application/problem+json').send(JSON.stringify(document))
}

function fault({ pointer, detail, suggestions, correction }: ProblemError['faults'][number]) {
  return {
    pointer,
    detail,
    ...(suggestions?.length ? { suggestions: [...suggestions] } : {}),
    ...(correction ? { correction: [...correction] } : {}),
  }
}

/** Errors of the router have a status, those of the body parser also a type. */
function foreignProblem(error: unknown): ProblemError {
  const { status, type, message } = error as { status?: unknown; type?: unknown; message?: unknown }
  const told = typeof message === 'string' ? message.slice(0, 200) : ''
  if (typeof status !== 'number' || status < 400 || status > 499) {
    return new ProblemError('internal-error', 'An unexpected error occurred; the log has it under this id.')
  }
  const known: Partial<Record<number, ProblemSlug>> = {
    413: 'body-too-large',
    415: 'unsupported-media-type',
  }
  const slug = known[status]
  // The rest of a body that is too large is not read.
  const headers = status === 413 ? { connection: 'close' } : {}
  if (slug) return new ProblemError(slug, `${problems[slug].title}: ${told}.`, [], headers)
  const atBody =
    type === 'entity.parse.failed' || type === 'request.size.invalid' || type === 'request.aborted'
  if (!atBody) return new ProblemError('invalid-request', `The request cannot be read: ${told}.`)
  return new ProblemError('malformed-json', `The body is not JSON: ${told}`, [{ pointer: '', detail: told }])
}
