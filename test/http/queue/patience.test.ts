/** Every part of an answer has its share of the time; no more is reserved for what follows the search than it needs. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFlags, patienceOf } from '../../../api/worker/errand.ts'
import { shares } from '../../../src/patience.ts'
import { law } from '../../law.ts'

/** Whether a part of that share is to stop, so long after the start. */
function over(share: number, timeoutMs: number, afterMs: number): boolean {
  let now = 0
  const stop = patienceOf({ flags: createFlags(), timeoutMs }, () => now)(share)
  now = afterMs
  return stop()
}

const timeout = fc.integer({ min: 1, max: 60_000 })
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('the patience of an answer', () => {
  law(
    'ends by the deadline, and every part in the order of its share',
    200,
    [timeout, share, share, share],
    (timeoutMs, one, other, at) => {
      expect(over(1, timeoutMs, timeoutMs)).toBe(true)
      const [sooner, later] = [Math.min(one, other), Math.max(one, other)]
      if (over(later, timeoutMs, at * timeoutMs)) expect(over(sooner, timeoutMs, at * timeoutMs)).toBe(true)
    },
  )

  it('is a share of the time where there is little of it', () => {
    for (const timeoutMs of [100, 1000, 6000]) {
      for (const part of Object.values(shares)) {
        expect(over(part, timeoutMs, 0.99 * part * timeoutMs)).toBe(false)
        expect(over(part, timeoutMs, 1.01 * part * timeoutMs)).toBe(true)
      }
    }
  })

  it.each([
    [10_000, 7600],
    [60_000, 57_600],
  ])('of %i ms leaves all to the search but what explaining takes', (timeoutMs, searchMs) => {
    expect(over(shares.search, timeoutMs, searchMs - 1)).toBe(false)
    expect(over(shares.search, timeoutMs, searchMs + 1)).toBe(true)
  })
})
