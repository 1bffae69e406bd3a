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
    const faults = error.faults.map(({ pointer, correction: _, ...fault }) => {
      const path = pointer.split('/').slice(1)
      const inCommon =
        valueAt(asked.request, path) !== undefined && valueAt(asked.variants[at], path) === undefined
      return {
        ...fault,
        pointer: `${inCommon ? '/request' : jsonPointer(['variants', String(at)])}${pointer}`,
      }
    })
    throw faults.length > 0 ? faulty(error.slug, faults) : error
  }
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
