/** What was made for two numbers: each pair has its own value, and there are never more than may be. */
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { type ByPair, byPair } from '../../../src/by-pair.ts'
import { law } from '../../law.ts'

const sizes = fc.integer({ min: 0, max: 5 })
const asks = fc.array(fc.tuple(sizes, sizes), { maxLength: 100 })

describe('what was made for two numbers', () => {
  law(
    'is found for these two alone, the last of it always',
    200,
    [asks, fc.integer({ min: 1, max: 12 })],
    (asked, most) => {
      const kept = byPair<string>(most)
      for (const [one, other] of asked) {
        const made = `${one} and ${other}`
        const found = kept.find(one, other)
        expect([undefined, made]).toContain(found)
        if (found === undefined) expect(kept.keep(one, other, made)).toBe(made)
        expect(kept.find(one, other)).toBe(made)
        expect(count(kept)).toBeLessThanOrEqual(most)
      }
    },
  )

  law('stays while there is room', 200, [asks], (asked) => {
    const kept = byPair<string>(36)
    for (const [one, other] of asked) kept.find(one, other) ?? kept.keep(one, other, 'made')
    for (const [one, other] of asked) expect(kept.find(one, other)).toBe('made')
  })
})

function count({ find }: Pick<ByPair<string>, 'find'>): number {
  const all = [0, 1, 2, 3, 4, 5]
  return all.flatMap((one) => all.filter((other) => find(one, other) !== undefined)).length
}
