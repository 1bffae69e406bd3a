/**
 * What a value that its schema rejects may have meant: a number written as text, a list in place of one element,
 * another name for a word, a number in place of an object. Every proposal is valid in the schema.
 */

import { z } from 'zod'
import { ownValue } from '../../src/fields.ts'
import { alternatives, type Schema } from '../validation/object-schema.ts'
import { shapes } from './shapes.ts'
import { wordMeant } from './word-meant.ts'

/** A reading that one of the schemas for this place accepts; `key` is the value's key. Undefined if nothing is close. */
export function meantValue(schemas: readonly Schema[], key: string, value: unknown): unknown {
  const fits = (candidate: unknown) => schemas.some((schema) => z.safeParse(schema, candidate).success)
  return readings(schemas, key, value).find((candidate) => candidate !== undefined && fits(candidate))
}

/** Longer texts and lists are not interpreted, because that takes more than proportional time. */
const longestText = 200
const longestList = 64

function readings(schemas: readonly Schema[], key: string, value: unknown): readonly unknown[] {
  if (typeof value === 'string' && value.length > longestText) return []
  const own = ownValue(shapes, key)?.(value) ?? []
  if (typeof value === 'string') {
    const number = numberMeant(value)
    const word = wordMeant(wordsOf(schemas), value)
    return [
      ...[value, number, word, truthMeant(value), numbersMeant(value), rangeMeant(value)],
      ...own,
      ...listed([value, number, word]),
    ]
  }
  if (typeof value === 'number') {
    return [value, ...own, ...listed([value]), Math.round(value), ...withinBounds(schemas, value)]
  }
  if (Array.isArray(value)) {
    if (value.length > longestList) return [value]
    const all = value.map((element) => elementMeant(schemas, key, element))
    return [value, ...(value.length === 1 ? value : []), all, ...own]
  }
  return [value, ...own]
}

function elementMeant(schemas: readonly Schema[], key: string, value: unknown): unknown {
  const elements = schemas
    .flatMap((schema) => alternatives(schema))
    .flatMap(({ _zod: { def } }) => ('element' in def ? [def.element as Schema] : []))
  return elements.length > 0 ? (meantValue(elements, key, value) ?? value) : value
}

function listed(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== undefined).map((value) => [value])
}

const suffixes: Readonly<Record<string, number>> = {
  k: 2 ** 10,
  ki: 2 ** 10,
  m: 2 ** 20,
  mi: 2 ** 20,
  g: 2 ** 30,
  b: 1e9,
}

/** `64`, `4e6`, `4_194_304`; lengths and batches with their usual suffixes: `8k` is 8192, `4M` is 2^22. */
function numberMeant(text: string): number | undefined {
  const [, digits, suffix = ''] = /^\s*([\d.,_]+(?:e\d+)?)\s*([a-z]{0,2})\s*$/i.exec(text) ?? []
  const factor = suffix === '' ? 1 : suffixes[suffix.toLowerCase()]
  const number = Number(digits?.replace(/[_,]/g, ''))
  return digits === undefined || factor === undefined || !Number.isFinite(number)
    ? undefined
    : number * factor
}

/** For example `4x4x4`, `4,4,4` or `[4, 4, 4]`. */
function numbersMeant(text: string): readonly number[] | undefined {
  const parts = text.replace(/[[\]()\s]/g, '').split(/[x×*,]/i)
  return parts.length > 1 && parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : undefined
}

function truthMeant(text: string): boolean | undefined {
  if (/^(true|yes|on)$/i.test(text)) return true
  return /^(false|no|off)$/i.test(text) ? false : undefined
}

/** For example `<=8`, `>= 2` or `2-8`. */
function rangeMeant(text: string): { readonly min?: number; readonly max?: number } | undefined {
  const [, sign, bound] = /^\s*([<>])=\s*(\d+)\s*$/.exec(text) ?? []
  if (sign) return sign === '<' ? { max: Number(bound) } : { min: Number(bound) }
  const [, min, max] = /^\s*(\d+)\s*(?:-|\.\.|to)\s*(\d+)\s*$/.exec(text) ?? []
  return min === undefined ? undefined : { min: Number(min), max: Number(max) }
}

/** A smaller number is hardly meant as a percentage. */
const leastPercent = 5

/**
 * For a fraction, the number as a percentage; otherwise the bound that it exceeds. A least time or rate just above 0 only
 * keeps 0 out, and nobody means it.
 */
function withinBounds(schemas: readonly Schema[], value: number): readonly number[] {
  return schemas
    .flatMap((schema) => alternatives(schema))
    .filter((schema) => schema instanceof z.ZodNumber)
    .flatMap(({ minValue, maxValue }) => {
      if (maxValue === 1 && value >= leastPercent && value <= 100) return [value / 100]
      if (maxValue !== null && value > maxValue) return [maxValue]
      const isMeant = minValue !== null && (minValue <= 0 || minValue >= 1)
      return isMeant && value < minValue ? [minValue] : []
    })
}

/** All words that a schema accepts, also as elements of a list. */
function wordsOf(schemas: readonly Schema[]): readonly string[] {
  return schemas
    .flatMap((schema) => alternatives(schema))
    .flatMap((schema) => {
      const { def, values } = schema._zod
      if ('element' in def) return wordsOf([def.element as Schema])
      return [...(values ?? [])].filter((value) => typeof value === 'string')
    })
}
