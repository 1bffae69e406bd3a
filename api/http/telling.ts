/** The form in which a client wants an answer, from `Accept` and the query parameter `fields`. */
import type { Request } from 'express'
import { type Telling, textTypes } from '../worker/telling.ts'
import { type Parameters, queryOf } from './query.ts'

/** JSON is first because a client that accepts anything gets the first. */
const types: Readonly<Record<string, Telling['as']>> = {
  'application/json': null,
  ...Object.fromEntries(Object.entries(textTypes).map(([as, type]) => [type, as as Telling['as']])),
}

export const tellingTypes = Object.keys(types)

/** Dotted names, separated by commas; clients that write a list as the parameter again and again mean all of them. */
export const fieldsQuery: Parameters = { fields: /^[A-Za-z][\w.,-]{0,2000}$/ }

export function tellingOf(request: Request): Telling {
  const accepted = request.accepts(tellingTypes)
  const fields = queryOf(request).getAll('fields')
  return {
    as: typeof accepted === 'string' ? (types[accepted] ?? null) : null,
    fields: fields.flatMap((names) => names.split(',')).filter(Boolean),
  }
}
