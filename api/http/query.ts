/** Checks query parameters: one that a route does not know is rejected, like an unknown key in a body, because it would be ignored. */
import type { Request, RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'

/** The values that each parameter of a route may have. */
export type Parameters = Readonly<Record<string, readonly string[] | RegExp>>

export function knownQuery(known: Parameters): RequestHandler {
  return (request, _response, next) => {
    for (const [name, value] of queryOf(request)) {
      const values = Object.hasOwn(known, name) ? known[name] : undefined
      const taken = values instanceof RegExp ? values.test(value) : values?.includes(value)
      if (!taken) throw refusal(name, values, known)
    }
    next()
  }
}

export function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(request.url.split('?').slice(1).join('?'))
}

function refusal(given: string, values: Parameters[string] | undefined, known: Parameters): ProblemError {
  const name = given.slice(0, 80)
  const names = Object.keys(known)
  const taken = names.length > 0 ? `takes ${names.join(', ')}` : 'takes none'
  const says = values instanceof RegExp ? 'names, separated by commas' : `one of ${values?.join(', ')}`
  const detail = values
    ? `The query parameter ${name} is ${says}.`
    : `The query parameter ${name} is not known; this path ${taken}.`
  return new ProblemError('invalid-request', detail, [{ pointer: '', detail }])
}
