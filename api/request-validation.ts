/**
 * A request body against its schema: the value with its defaults, or a problem that points at each fault.
 *
 * Before the schema comes a look at the body's size in values and its depth, so that no schema is ever walked over
 * a hundred thousand faults. A misspelt key is pointed at itself, with the nearest key that the schema has there.
 */
import type { z } from 'zod'
import { jsonPointer, valueAt } from './json-pointer.ts'
import { nearest } from './nearest.ts'
import { kindOf, objectsMeant, objectsPossible } from './object-schema.ts'
import { type Fault, ProblemError } from './problems.ts'

const mostValues = 10_000
const deepest = 32
const mostFaults = 32
const longestShown = 80

export function validated<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  refuseBulk(body)
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const faults = result.error.issues
    .slice(0, mostFaults)
    .flatMap((issue) => issueFaults(issue, [], schema, body))
    .slice(0, mostFaults)
  const [first] = faults
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  throw new ProblemError(
    'invalid-request',
    `${first?.pointer || 'The body'}: ${first?.detail}${others}`,
    faults,
  )
}

function refuseBulk(body: unknown): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: body, depth: 0 }]
  let values = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (depth > deepest) throw bulk(`nested deeper than ${deepest} levels`)
    if (++values > mostValues) throw bulk(`holds more than ${mostValues} values`)
    if (typeof value !== 'object' || value === null) continue
    const children = Object.values(value)
    if (values + children.length > mostValues) throw bulk(`holds more than ${mostValues} values`)
    for (const child of children) open.push({ value: child, depth: depth + 1 })
  }
}

function bulk(detail: string): ProblemError {
  return new ProblemError('invalid-request', `The body is ${detail}`.replace('is holds', 'holds'), [
    { pointer: '', detail },
  ])
}

type Path = readonly PropertyKey[]

function issueFaults(issue: z.core.$ZodIssue, above: Path, schema: z.core.$ZodType, body: unknown): Fault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mostFaults).map((key) => unknownKey(key, path, schema, body))
  }
  if (issue.code === 'invalid_value') return [unknownValue(path, issue.values, issue.message, body)]
  if (issue.code === 'invalid_union' && 'options' in issue) {
    const { options = [] } = issue
    return [unknownValue(path, options, `is none of ${options.join(', ')}`, body)]
  }
  if (issue.code === 'invalid_union') {
    const branch = meantBranch(issue.errors)
    if (branch) return branch.flatMap((inner) => issueFaults(inner, path, schema, body))
    const expected = issue.errors.flatMap(([first]) =>
      first?.code === 'invalid_type' ? [first.expected] : [],
    )
    if (expected.length) return [{ pointer: jsonPointer(path), detail: expectation([...new Set(expected)]) }]
  }
  const missing = issue.code === 'invalid_type' && valueAt(body, path) === undefined
  return [{ pointer: jsonPointer(path), detail: missing ? `is required: ${issue.expected}` : issue.message }]
}

/** Of a union's alternatives of the value's own type, the one that knows most of its keys, then that with fewest faults. */
function meantBranch(branches: readonly (readonly z.core.$ZodIssue[])[]) {
  return branches
    .filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0))
    .sort((a, b) => unknownKeys(a) - unknownKeys(b) || weight(a) - weight(b))[0]
}

function unknownKeys(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) =>
      sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
    0,
  )
}

function weight(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
}

function expectation(types: readonly string[]): string {
  return `expected ${types.join(' or ')}`
}

/** A key of another alternative is told as such: `batchTokens` where the mode is generate. */
function unknownKey(key: string, path: Path, schema: z.core.$ZodType, body: unknown): Fault {
  const shown = key.length > longestShown ? `${key.slice(0, longestShown)}…` : key
  const pointer = jsonPointer([...path, shown])
  const here = objectsMeant(schema, path, body)
  const [own] = here
  const owners = objectsPossible(schema, path).filter((object) => Object.hasOwn(object._zod.def.shape, key))
  if (own && owners.length > 0) {
    const kind = kindOf(own)
    const detail = kind
      ? `is a key of ${owners.map(kindOf).join(' and ')}, not of ${kind}`
      : 'does not go with the other keys here'
    return { pointer, detail }
  }
  const keys = here.flatMap(({ _zod }) => Object.keys(_zod.def.shape))
  return { pointer, ...withMeant('is not a known key', nearest(key, keys, 1)) }
}

/** A value that is none of those there are. */
function unknownValue(path: Path, values: readonly unknown[], message: string, body: unknown): Fault {
  const pointer = jsonPointer(path)
  const given = valueAt(body, path)
  const words = values.filter((value) => typeof value === 'string')
  if (given === undefined) return { pointer, detail: `is required: one of ${words.join(', ')}` }
  return { pointer, ...withMeant(message, typeof given === 'string' ? nearest(given, words, 1) : []) }
}

function withMeant(detail: string, suggestions: readonly string[]): Omit<Fault, 'pointer'> {
  const [meant] = suggestions
  return meant ? { detail: `${detail}; did you mean ${meant}?`, suggestions } : { detail }
}
