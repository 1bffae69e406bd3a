/** When a search tests a rule, and which of the legal values an answer tells first. */
import { describe, expect, it } from 'vitest'
import { byLevel } from '../../../src/rules/levels.ts'
import { nextTo } from '../../../src/rules/part-rule.ts'

describe('a level of a search', () => {
  const rule = { broken: () => true, says: 'is broken', pointer: '/plan', reads: ['a', 'c'] }

  it('tests a rule as soon as everything that it reads is bound', () => {
    expect(byLevel([rule], [['a'], ['b', 'c'], ['d']])).toEqual([[], [rule], []])
  })

  it('is missing for a rule about a part that no level binds', () => {
    expect(() => byLevel([rule], [['a'], ['b']])).toThrow('No level binds c')
  })
})

it('what is told to be legal is a power of two before another size that is as near', () => {
  const pointer = '/plan/mesh/tensor'
  const told = (sizes: readonly number[], current: number) => {
    const nearest = sizes.map((value) => [{ pointer, value }])
    return nextTo({ pointer, detail: '', nearest }, current).nearest?.map(([change]) => change?.value)
  }
  expect(told([1, 2, 3, 4, 6, 8, 12, 24], 5)).toEqual([4, 8])
  expect(told([1, 2, 3, 4, 6, 8, 12, 24], 7)).toEqual([8, 4])
  expect(told([1, 2, 3, 6], 5)).toEqual([6, 2])
  expect(told([1, 3, 9], 5)).toEqual([3, 9])
  // Not from far off: half of what was asked for is nearer to it than a power of two.
  expect(told([1, 2, 25, 50], 100)).toEqual([50])
})
