/** The faults that one issue of zod means, each with what was probably meant. */
import { z } from 'zod'
import { expectation } from '../hints/expectation.ts'
import { meantKey } from '../hints/meant-key.ts'
import { meantValue } from '../hints/meant-value.ts'
import { absent, examples } from '../hints/shapes.ts'
import { remarkOn } from '../hints/words.ts'
import type { Fault } from '../problems.ts'
import { ofOtherModes } from '../schemas/other-modes.ts'
import { jsonPointer, valueAt } from './json-pointer.ts'
import { kindOf, objectsMeant, objectsPossible, type Path, schemasMeant } from './object-schema.ts'

/** The most faults that are told of one body. */
export const mostFaults = 32

const longestShown = 80

export function issueFaults(
  issue: z.core.$ZodIssue,
  above: Path,
  schema: z.core.$ZodType,
  body: unknown,
): Fault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mostFaults).map((key) => unknownKey(key, path, schema, body))
  }
  const given = valueAt(body, path)
  if (issue.code === 'invalid_union' && given !== undefined && !hasShape(path, given, schema, body)) {
    const inner = meantBranch(issue.errors)
    if (inner) return inner.slice(0, mostFaults).flatMap((one) => issueFaults(one, path, schema, body))
  }
  return [wrongValue(issue, path, given, schema, body)]
}

/**
 * Whether the object as a whole may mean something else: a model `{"name": "llama-3-8b"}` is not an architecture that
 * lacks all its dimensions.
 */
function hasShape(path: Path, given: unknown, schema: z.core.$ZodType, body: unknown): boolean {
  return (
    typeof given === 'object' &&
    !Array.isArray(given) &&
    meantValue(schemasMeant(schema, path, body), keyOf(path), given) !== undefined
  )
}

function keyOf(path: Path): string {
  return String(path.at(-1) ?? '')
}

/** Of a union's alternatives of the right type, the one with the fewest unknown keys, then the one with the fewest faults. */
function meantBranch(branches: readonly (readonly z.core.$ZodIssue[])[]) {
  return branches
    .filter((issues) => !issues.some(({ code, path }) => ofAnotherType(code) && path.length === 0))
    .sort((a, b) => unknownKeys(a) - unknownKeys(b) || weight(a) - weight(b))[0]
}

function ofAnotherType(code: z.core.$ZodIssue['code']): boolean {
  return code === 'invalid_type' || code === 'invalid_value'
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

/** If another alternative has the key, the fault says so: `batchTokens` in mode generate. */
function unknownKey(key: string, path: Path, schema: z.core.$ZodType, body: unknown): Fault {
  const shown = key.length > longestShown ? `${key.slice(0, longestShown)}…` : key
  const pointer = jsonPointer([...path, shown])
  const [own] = objectsMeant(schema, path, body)
  const elsewhere = own && ofOtherModes.get(own as z.ZodObject)
  if (elsewhere?.keys.includes(key)) return { pointer, detail: elsewhere.says }
  const owners = objectsPossible(schema, path).filter((object) => Object.hasOwn(object._zod.def.shape, key))
  const kind = own && kindOf(own)
  const wrong =
    own && owners.length > 0
      ? kind
        ? `is a key of ${owners.map(kindOf).join(' and ')}, not of ${kind}`
        : 'does not go with the other keys here'
      : 'is not a known key'
  const { says, suggestions, correction } = meantKey(key, path, schema, body) ?? {}
  return {
    pointer,
    detail: says ? `${wrong}; ${says}` : wrong,
    ...(suggestions ? { suggestions } : {}),
    ...(correction ? { correction } : {}),
  }
}

/** A value that is missing, of the wrong type, out of bounds, or not one of the allowed words. */
function wrongValue(
  issue: z.core.$ZodIssue,
  path: Path,
  given: unknown,
  schema: z.core.$ZodType,
  body: unknown,
): Fault {
  const pointer = jsonPointer(path)
  const open = schemasMeant(schema, path, body)
  const key = keyOf(path)
  if (issue.code === 'custom') return { pointer, detail: issue.message, ...meantBeside(issue, path) }
  if (given === undefined) {
    const detail = `is required: ${expectation(issue, open, true)}`
    return { pointer, detail, ...proposed(pointer, modeMeant(path, schema, body) ?? openDefault(open, key)) }
  }
  const wrong = expectation(issue, open, false)
  const meant = meantValue(open, key, given)
  if (meant === undefined) {
    const example = typeof given === 'string' ? examples[key]?.(given) : undefined
    return { pointer, detail: example ? `${wrong}: such as ${example}` : wrong }
  }
  const text = typeof meant === 'string' ? meant : JSON.stringify(meant)
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
  const remark = typeof given === 'string' ? remarkOn(given) : undefined
  const says = [`did you mean ${shown}?`, remark ?? []].flat().join(' ')
  return { pointer, detail: `${wrong}; ${says}`, ...proposed(pointer, meant) }
}

/** The correction that a check across fields proposes: values by field name, null to remove a field. */
function meantBeside({ params }: z.core.$ZodIssueCustom, path: Path): Pick<Fault, 'correction'> {
  if (params?.meant === undefined) return {}
  const correction = Object.entries(Object(params.meant)).map(([name, value]) => ({
    pointer: jsonPointer([...path.slice(0, -1), name]),
    value,
  }))
  return { correction }
}

function proposed(pointer: string, value: unknown): Pick<Fault, 'suggestions' | 'correction'> {
  if (value === undefined) return {}
  return {
    ...(typeof value === 'string' ? { suggestions: [value] } : {}),
    correction: [{ pointer, value }],
  }
}

function openDefault(open: readonly z.core.$ZodType[], key: string): unknown {
  const value = absent[key]
  return open.some((schema) => z.safeParse(schema, value).success) ? value : undefined
}

/** If a discriminator is missing: the value of the only alternative that has all the other keys, and lacks none beside it. */
function modeMeant(path: Path, schema: z.core.$ZodType, body: unknown): unknown {
  const above = path.slice(0, -1)
  const given = Object.keys(Object(valueAt(body, above)))
  if (given.length === 0) return undefined
  const knowing = objectsMeant(schema, above, body).filter(({ _zod }) =>
    given.every((key) => Object.hasOwn(_zod.def.shape, key)),
  )
  const whole = knowing.filter(({ _zod }) => lacksNone(_zod.def.shape, [keyOf(path), ...given]))
  const [values, ...others] = (whole.length > 0 ? whole : knowing).map(({ _zod }) => [
    ...(_zod.propValues[keyOf(path)] ?? []),
  ])
  return others.length === 0 && values?.length === 1 ? values[0] : undefined
}

function lacksNone(shape: Readonly<Record<string, z.core.$ZodType>>, given: readonly string[]): boolean {
  return Object.entries(shape).every(([key, { _zod }]) => given.includes(key) || _zod.optin === 'optional')
}
