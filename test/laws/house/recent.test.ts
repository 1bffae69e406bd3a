/** What is kept of what was made for a key: that of the keys that were asked for last. */
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { recent, recentHalves } from '../../../src/recent.ts'
import { law } from '../../law.ts'

const keys = Array.from({ length: 30 }, (_, at) => `${at}`)
const asks = fc.array(fc.constantFrom(...keys), { maxLength: 200 })
const sizes = fc.integer({ min: 2, max: 12 })

describe.each([
  ['of all', recent<string>, 1],
  ['in halves', recentHalves<string>, 2],
] as const)('what was asked for last, %s', (_, made, part) => {
  law('is kept, and no more than may be', 200, [asks, sizes], (asked, most) => {
    const kept = made(most)
    let last: readonly string[] = []
    for (const key of asked) {
      const value = kept.get(key)
      if (last.slice(0, Math.floor(most / part)).includes(key)) expect(value).toBe(`of ${key}`)
      expect([undefined, `of ${key}`]).toContain(value)
      if (value === undefined) kept.set(key, `of ${key}`)
      last = [key, ...last.filter((other) => other !== key)]
    }
    // Halves of an odd number are rounded up.
    expect(keys.filter((key) => kept.get(key)).length).toBeLessThanOrEqual(most + (part - 1))
  })
})
