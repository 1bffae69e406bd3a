/**
 * Validates a request body against its schema: returns the value with defaults, or throws a problem that points at each
 * fault.
 *
 * The body's number of values and its depth are tested first, so that no schema is ever applied to a hundred thousand
 * faults. Each fault says what was probably meant, if that can be told (hints/), as changes to the request that are
 * known to remove it.
 */
import { z } from 'zod'
import { changed } from '../hints/change.ts'
import { type Fault, faulty, ProblemError } from '../problems.ts'
import { issueFaults, mostFaults } from './issue-faults.ts'
import { jsonPointer, valueAt } from './json-pointer.ts'

const mostValues = 10_000
const deepest = 32

export function validated<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  refuseBulk(body)
  const hidden = prototypeKeys(body, [])
  if (hidden.length > 0) throw faulty('invalid-request', hidden.slice(0, mostFaults))
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const faults = untold(schema, body, faultsOf(schema, body, result.error.issues))
  const [first] = faults
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  throw new ProblemError(
    'invalid-request',
    `${first?.pointer || 'The body'}: ${first?.detail}${others}`,
    faults,
  )
}

/** Schemas for objects of any keys pass over this one without a word. */
function prototypeKeys(value: unknown, path: readonly PropertyKey[]): readonly Fault[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, own]) => {
    const below = [...path, key]
    if (key === '__proto__') return [{ pointer: jsonPointer(below), detail: 'is not a known key' }]
    return prototypeKeys(own, below)
  })
}

function refuseBulk(body: unknown): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: body, depth: 0 }]
  let values = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (depth > deepest) throw bulk(`is nested deeper than ${deepest} levels`)
    if (++values > mostValues) throw bulk(`holds more than ${mostValues} values`)
    if (typeof value !== 'object' || value === null) continue
    const children = Object.values(value)
    if (values + children.length > mostValues) throw bulk(`holds more than ${mostValues} values`)
    for (const child of children) open.push({ value: child, depth: depth + 1 })
  }
}

function bulk(detail: string): ProblemError {
  return new ProblemError('invalid-request', `The body ${detail}`, [{ pointer: '', detail }])
}

function faultsOf(
  schema: z.core.$ZodType,
  body: unknown,
  issues: readonly z.core.$ZodIssue[],
): readonly Fault[] {
  const told = issues.filter((issue) => !isBeyondWhole(issue) || !issues.some((one) => boundsToo(one, issue)))
  const faults = told.slice(0, mostFaults).flatMap((issue) => issueFaults(issue, [], schema, body))
  const pointers = faults.map(({ pointer }) => pointer)
  // Only the first fault of each value: that it is no list, not how long it is.
  return faults.filter(({ pointer }, at) => pointers.indexOf(pointer) === at).slice(0, mostFaults)
}

/** Of a number beyond all whole ones the schema's own bound is told. */
function isBeyondWhole(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'too_big' && issue.origin === 'int'
}

function boundsToo(one: z.core.$ZodIssue, issue: z.core.$ZodIssue): boolean {
  return one !== issue && one.code === issue.code && jsonPointer(one.path) === jsonPointer(issue.path)
}

/** Drops faults that the correction of another one removes, such as a missing `chips` that was written as `gpus`. */
function untold(schema: z.core.$ZodType, body: unknown, faults: readonly Fault[]): readonly Fault[] {
  const corrections = faults.flatMap(({ correction = [] }) => correction)
  if (corrections.length === 0) return faults
  const supplied = (at: string) =>
    faults.some(
      ({ pointer, correction = [] }) => pointer !== at && correction.some((change) => change.pointer === at),
    )
  const own = faults.filter(({ pointer }) => !supplied(pointer))
  const left = faultsLeft(schema, body, own)
  const pointers = left.map(({ pointer }) => pointer)
  return revealed(
    schema,
    body,
    own.filter(({ pointer, correction }) => correction || pointers.includes(pointer)),
  )
}

/** Faults of the body after all proposed corrections. */
function faultsLeft(schema: z.core.$ZodType, body: unknown, faults: readonly Fault[]): readonly Fault[] {
  const corrected = changed(
    body,
    faults.flatMap(({ correction = [] }) => correction),
  )
  return faultsOf(schema, corrected, z.safeParse(schema, corrected).error?.issues ?? [])
}

/** Adds faults that others hid: as long as the mode is unknown, nothing can be said about the fields beside it. */
function revealed(schema: z.core.$ZodType, body: unknown, faults: readonly Fault[]): readonly Fault[] {
  const told = new Set(
    faults.flatMap(({ pointer, correction = [] }) => [
      pointer,
      ...correction.map((change) => change.pointer),
    ]),
  )
  const hidden = faultsLeft(schema, body, faults).filter(
    ({ pointer }) => !told.has(pointer) && isBeside(body, pointer),
  )
  if (hidden.length === 0) return faults
  const all = [...faults, ...hidden]
  return all.length < mostFaults ? revealed(schema, body, all) : all.slice(0, mostFaults)
}

/** Whether the body has the object that contains the value, or would contain it. */
function isBeside(body: unknown, pointer: string): boolean {
  const above = pointer.split('/').slice(1, -1)
  return typeof valueAt(body, above) === 'object'
}
