/**
 * The book's worked numbers as tests. A section is one test file; it names its cases by id, and each has to give a
 * value for every expected field except those that fixtures/book/uncovered-fields.json excuses. coverage.ts lists the
 * cases of each section, so that none is forgotten.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Section, sections } from './coverage.ts'

type Value = number | boolean | string | null | readonly (number | boolean)[]

export interface BookCase {
  readonly id: string
  readonly kind: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly expected: Readonly<Record<string, unknown>>
  readonly tolerance_rel: number
}

const folder = new URL('../../fixtures/book/', import.meta.url)

export const cases: readonly BookCase[] = read('cases.json')
export const pending: Readonly<Record<string, string>> = read('pending.json')
export const uncoveredFields: Readonly<Record<string, Readonly<Record<string, string>>>> =
  read('uncovered-fields.json')

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

export function bookCase(id: string): BookCase {
  const found = cases.find((one) => one.id === id)
  if (!found) throw new RangeError(`The book has no case ${id}`)
  return found
}

/** A number among the inputs of a case. */
export type Input = (name: string) => number

export type Answer = (input: Input, inputs: BookCase['inputs']) => Readonly<Record<string, Value>>

/** Runs the tests of one section; `hold` is called once for each case. */
export function section(
  name: Section,
  define: (hold: (id: string, sentence: string, answer: Answer) => void) => void,
): void {
  const held: string[] = []
  describe(`the book: ${name}`, () => {
    define((id, sentence, answer) => {
      held.push(id)
      it(`${sentence} (${id})`, () => {
        expectAnswer(bookCase(id), answer)
      })
    })
    it('holds the cases that are listed for it, each once', () => {
      expect([...held].sort()).toEqual([...sections[name]].sort())
    })
  })
}

function expectAnswer({ id, inputs, expected, tolerance_rel }: BookCase, answer: Answer): void {
  const values = answer((name) => numberOf(id, inputs, name), inputs)
  const uncovered = Object.keys(uncoveredFields[id] ?? {})
  const wanted = Object.entries(flattened(expected)).filter(([field]) => !uncovered.includes(field))
  expect(Object.keys(values).sort()).toEqual(wanted.map(([field]) => field).sort())
  for (const [field, value] of wanted) {
    expectClose(values[field], value, tolerance_rel, `${id}: ${field}`)
  }
}

function expectClose(actual: unknown, expected: unknown, tolerance: number, what: string): void {
  if (Array.isArray(expected)) {
    expect(actual, what).toHaveLength(expected.length)
    expected.forEach((entry, at) => {
      expectClose((actual as readonly unknown[])[at], entry, tolerance, `${what}[${at}]`)
    })
    return
  }
  if (typeof expected !== 'number') {
    expect(actual, what).toBe(expected)
    return
  }
  expect(actual, what).toBeTypeOf('number')
  const deviation = Math.abs((actual as number) - expected)
  const words = `${what} is ${String(actual)}, the book has ${expected}`
  expect(deviation, words).toBeLessThanOrEqual(tolerance * Math.abs(expected))
}

function numberOf(id: string, inputs: BookCase['inputs'], name: string): number {
  const value = inputs[name]
  if (typeof value !== 'number') throw new RangeError(`${id} has no number ${name} among its inputs`)
  return value
}

/** Nested expectations by path: node.deg. */
export function flattened(record: Readonly<Record<string, unknown>>, under = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(flattened(value as Record<string, unknown>, `${under}${key}.`))
        : [[`${under}${key}`, value]],
    ),
  )
}
