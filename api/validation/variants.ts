/** Turns the variants of a comparison into requests of their own; faults point to their place in the comparison. */
import { faulty, faultyValue, ProblemError } from '../problems.ts'
import type { CompareRequest, Comparison, Variant } from '../schemas/compare.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { jsonPointer, valueAt } from './json-pointer.ts'
import { validated } from './request-validation.ts'
import { evaluateAsked } from './written-plan.ts'

type Fields = Readonly<Record<string, unknown>>

export function comparisonOf(asked: CompareRequest): Comparison {
  const variants = asked.variants.map((_, at) => variantOf(asked, at))
  const names = variants.map(({ name }) => name)
  const twice = names.findIndex((name, at) => names.indexOf(name) < at)
  if (twice >= 0) {
    const detail = `is also the name of another variant: ${names[twice]}`
    throw faultyValue('impossible-combination', { pointer: `/variants/${twice}/name`, detail })
  }
  return { asked, variants, timeoutMs: asked.timeoutMs }
}

function variantOf(asked: CompareRequest, at: number): Variant {
  const { name = `variant ${at + 1}`, ...own } = asked.variants[at] ?? {}
  const whole = { ...merged(asked.request, own), timeoutMs: asked.timeoutMs }
  const request = pointingAt(asked, at, () =>
    'plan' in whole ? evaluateAsked(whole) : validated(optimizeRequest, whole),
  )
  return { name, request }
}

/** Points a variant's faults to their place in the comparison. */
export function pointingAt<Found>(asked: CompareRequest, at: number, found: () => Found): Found {
  try {
    return found()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map(({ pointer, detail, suggestions, correction: _, ...fault }) => {
      const place = placeOf(asked, at, pointer.split('/').slice(1))
      const pointers = suggestions?.filter((one) => one.startsWith('/')) ?? []
      const placed = (text: string) =>
        pointers.reduce((told, one) => told.replaceAll(` ${one}`, ` ${place}${one}`), text)
      return {
        ...fault,
        pointer: `${place}${pointer}`,
        detail: placed(detail),
        ...(suggestions
          ? { suggestions: suggestions.map((one) => (pointers.includes(one) ? `${place}${one}` : one)) }
          : {}),
      }
    })
    throw faults.length > 0 ? faulty(error.slug, faults) : error
  }
}

/** Where a value stands, or should stand, that is wrong in a variant's request: in whichever of the two goes further towards it, the variant where both do. */
function placeOf(asked: CompareRequest, at: number, path: readonly string[]): string {
  const own = jsonPointer(['variants', String(at)])
  const [key = ''] = path
  if (whole.includes(key) && valueAt(asked.variants[at], [key]) !== undefined) return own
  const depth = (document: unknown) => {
    const missing = path.findIndex((_, end) => valueAt(document, path.slice(0, end + 1)) === undefined)
    return missing < 0 ? path.length : missing
  }
  return depth(asked.request) > depth(asked.variants[at]) ? '/request' : own
}

/** Plans and models are replaced as a whole, because one of another kind has no fields in common. */
const whole = ['plan', 'model']

function merged(common: Fields, own: Fields): Fields {
  const keys = new Set([...Object.keys(common), ...Object.keys(own)])
  return Object.fromEntries(
    [...keys].map((key) => {
      const [first, second] = [common[key], own[key]]
      const both =
        isObject(first) && isObject(second) && !whole.includes(key) && !areOfTwoModes(first, second)
      return [key, both ? merged(first, second) : (second ?? first)]
    }),
  )
}

function areOfTwoModes({ mode }: Fields, { mode: other }: Fields): boolean {
  return mode !== undefined && other !== undefined && mode !== other
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
