/** How an answer is told besides whole JSON: as a text, or in a few fields of it. It is written where the answer is, which may have megabytes. */
import { faultyValue } from '../problems.ts'

export const tellings = ['text', 'markdown', 'csv'] as const

export interface Telling {
  /** Null for JSON. */
  readonly as: (typeof tellings)[number] | null
  /** Dotted, through lists: `plans.summary`. All where there are none. */
  readonly fields: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Of a body what is asked for; refuses a field that it has nowhere. */
export function selected(body: object, fields: readonly string[]): object {
  if (fields.length === 0) return body
  for (const field of fields) {
    if (!isThere(body, field.split('.'))) {
      throw faultyValue('invalid-request', {
        pointer: '',
        detail: `fields: ${field} is nowhere in the answer`,
      })
    }
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

/** In a list that is empty, or in nothing, anything may be. */
function isThere(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => isThere(item, [first, ...rest]))
  if (typeof value !== 'object') return false
  return Object.hasOwn(value, first) && isThere((value as Fields)[first], rest)
}
