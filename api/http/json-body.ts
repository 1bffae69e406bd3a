/** Bodies are JSON of at most 1 MiB and of limited depth; anything else is a problem. */
import { isUtf8 } from 'node:buffer'
import express, { type RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'
import { sendProblem } from './problem-response.ts'

const mostBodyBytes = 1024 * 1024

const json = ['application/json', 'application/*+json']

/** Bytes that are no UTF-8 would be replaced by others without a word. */
const read = express.json({
  ...{ limit: mostBodyBytes, strict: false, type: json },
  verify: (_request, _response, body, charset) => {
    if (charset === 'utf-8' && !isUtf8(body)) throw new RangeError('is not UTF-8')
  },
})

/** An error of unpacking has the status of a bad request, and nothing that says what it is of. */
const parse: RequestHandler = (request, response, next) =>
  read(request, response, (error?: unknown) => {
    const encoding = request.get('content-encoding') ?? 'identity'
    const { status, type, message } = Object(error)
    if (type === 'entity.verify.failed') {
      return next(
        new ProblemError('malformed-json', `The body ${message}.`, [{ pointer: '', detail: message }]),
      )
    }
    if (status !== 400 || type !== undefined || encoding === 'identity') return next(error)
    const detail = `is not ${encoding}, as its content-encoding says, or is cut short`
    next(new ProblemError('malformed-json', `The body ${detail}.`, [{ pointer: '', detail }]))
  })

const declared: RequestHandler = (request, _response, next) => {
  const type = request.get('content-type')
  const chunked = request.get('transfer-encoding') !== undefined
  if (!chunked && Number(request.get('content-length') ?? 0) === 0) {
    const detail = 'is empty; a JSON object is needed'
    throw new ProblemError('malformed-json', `The body ${detail}.`, [{ pointer: '', detail }])
  }
  // Answered at once, without waiting for the rest of the body.
  if (Number(request.get('content-length') ?? 0) > mostBodyBytes) {
    throw tooLarge()
  }
  if (type !== undefined && isJson(type)) return next()
  const told = type === undefined ? 'of no declared type' : 'of another type'
  throw new ProblemError('unsupported-media-type', `The body is ${told}, not application/json.`)
}

/** A chunked body is rejected as soon as too much of it has arrived; the parser would read on to its end. */
const bounded: RequestHandler = (request, response, next) => {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= mostBodyBytes) return
    request.off('data', count)
    sendProblem(response, tooLarge())
  }
  if (request.get('transfer-encoding') !== undefined) request.on('data', count)
  next()
}

function tooLarge(): ProblemError {
  return new ProblemError('body-too-large', 'The body is larger than 1 MiB.', [], { connection: 'close' })
}

function isJson(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || /^application\/[\w.!#$&^-]+\+json$/.test(type)
}

/** Far deeper than the schemas. Code that walks a value recurses as deep as the value, and a stack is limited. */
const mostLevels = 64

const shallow: RequestHandler = (request, _response, next) => {
  let level: readonly unknown[] = [request.body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) {
      const detail = `is nested more than ${mostLevels} levels deep`
      throw new ProblemError('invalid-request', `The body ${detail}.`, [{ pointer: '', detail }])
    }
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  next()
}

export const jsonBody: readonly RequestHandler[] = [declared, bounded, parse, shallow]
