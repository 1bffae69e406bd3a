/**
 * Forms of an answer besides complete JSON: a text, or some of its fields. It is written in the worker, because an
 * answer may have megabytes.
 */
import type { Fields } from '../../src/fields.ts'
import { nearest } from '../hints/nearest.ts'
import { type Fault, faultyValue } from '../problems.ts'

/** Content types of answers as texts. */
export const textTypes = { text: 'text/plain', markdown: 'text/markdown', csv: 'text/csv' } as const

export interface Telling {
  /** Null for JSON. */
  readonly as: keyof typeof textTypes | null
  /** Dotted names, through lists: `plans.summary`; empty for all fields. */
  readonly fields: readonly string[]
}

/** The requested fields of a body; throws if a field is nowhere in it. */
export function selected(body: object, fields: readonly string[]): object {
  if (fields.length === 0) return body
  for (const field of fields) {
    const [missing] = absentIn(body, field.split('.'))
    if (missing) throw faultyValue('invalid-request', { pointer: '', ...nowhere(field, missing) })
  }
  return some(
    body,
    fields.map((field) => field.split('.')),
  ) as object
}

function some(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((item) => some(item, paths))
  if (typeof value !== 'object' || value === null) return value
  const own = Object.entries(value as Fields).flatMap(([key, item]) => {
    const rest = paths.filter(([first]) => first === key).map((path) => path.slice(1))
    return rest.length === 0 ? [] : [[key, some(item, rest)] as const]
  })
  return Object.fromEntries(own)
}

interface Absent {
  readonly name: string
  /** Names that exist in its place. */
  readonly names: readonly string[]
}

/** Every place where a path leads nowhere. An empty list or null counts as if it had everything. */
function absentIn(value: unknown, [first, ...rest]: readonly string[]): readonly Absent[] {
  if (first === undefined || value === null) return []
  if (Array.isArray(value)) {
    const each = value.map((item) => absentIn(item, [first, ...rest]))
    return each.some((absent) => absent.length === 0) ? [] : each.flat()
  }
  if (typeof value !== 'object') return [{ name: first, names: [] }]
  if (!Object.hasOwn(value, first)) return [{ name: first, names: Object.keys(value) }]
  return absentIn((value as Fields)[first], rest)
}

function nowhere(field: string, { name, names }: Absent): Pick<Fault, 'detail' | 'suggestions'> {
  const meant = nearest(name, names)
  const nearby = meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : ';'
  const says =
    names.length > 0 ? `${nearby} there are ${names.join(', ')}` : ': what is before it has no fields'
  return {
    detail: `?fields=: ${field} is nowhere in the answer${says}`,
    suggestions: meant.map((own) => (field.endsWith(name) ? `${field.slice(0, -name.length)}${own}` : own)),
  }
}
