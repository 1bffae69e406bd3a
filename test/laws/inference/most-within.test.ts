import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostWithin } from '../../../src/inference/pass/most-within.ts'
import { forAll } from '../../law.ts'

/** Amounts that never fall: a line, and steps of several widths, as memory has by the batch. */
const amounts = fc
  .record({
    base: fc.nat(1000),
    slope: fc.constantFrom(0, 0, 0.25, 3),
    steps: fc.array(fc.record({ width: fc.integer({ min: 1, max: 60 }), height: fc.nat(40) }), {
      maxLength: 3,
    }),
  })
  .map(({ base, slope, steps }) => (count: number) => {
    return steps.reduce(
      (sum, { width, height }) => sum + height * Math.ceil(count / width),
      base + slope * count,
    )
  })

describe('the most that is within a limit', () => {
  it('is what counting up finds', () => {
    const questions = fc.record({
      amountOf: amounts,
      limit: fc.nat(5000),
      least: fc.integer({ min: 1, max: 40 }),
      room: fc.nat(1500),
    })
    forAll(300, [questions], ({ amountOf, limit, least, room }) => {
      const most = least + room
      let counted = amountOf(least) <= limit ? least : 0
      while (counted > 0 && counted < most && amountOf(counted + 1) <= limit) counted++
      expect(mostWithin({ least, step: least, most }, limit, amountOf)).toBe(counted)
    })
  })
})
