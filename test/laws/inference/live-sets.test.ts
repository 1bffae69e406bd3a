/** Arrays of a component that are on a chip at the same time. */
import { describe, expect, it } from 'vitest'
import { liveSets } from '../../../src/inference/layout/live-sets.ts'
import { arrayNotation } from '../../../src/sharding/array.ts'
import { type Component, restricted } from '../../../src/sharding/component.ts'
import { deriveForward } from '../../../src/sharding/derive.ts'
import {
  inferenceAttention,
  inferenceBlock,
  inferenceMlp,
} from '../../../src/sharding/tables/inference-layout.ts'
import { cacheLayouts, projectionLayouts } from '../../../src/sharding/tables/inference-sharding.ts'

function setsOf(component: Component): string[][] {
  const sets = liveSets(deriveForward(restricted(component, ['tensor', 'tensor2'])))
  return sets.map((set) => set.map(arrayNotation))
}

describe('what is live at once', () => {
  it('is the input, both halves and then their product in a gated MLP', () => {
    expect(setsOf(inferenceMlp('1d', true))).toEqual([
      ['In[B, D]', 'Up[B, F_YZ]', 'Gate[B, F_YZ]'],
      ['Gate[B, F_YZ]', 'Up[B, F_YZ]', 'Tmp[B, F_YZ]'],
      ['Tmp[B, F_YZ]', 'Out[B, D]'],
    ])
  })

  it('has the gathered weights of an einsum and of the next', () => {
    const weights = setsOf(inferenceMlp('gathered-all', false)).map((set) =>
      set.filter((array) => array.startsWith('W_')),
    )
    expect(weights).toEqual([['W_in[D, F]', 'W_out[F, D]'], ['W_out[F, D]']])
  })

  it.each(
    projectionLayouts.flatMap((projection) => cacheLayouts.map((cache) => [projection, cache] as const)),
  )('is never more than all arrays of %s/%s, and no set is within another', (projection, cache) => {
    for (const component of [
      inferenceAttention(projection, cache),
      inferenceBlock(projection, cache, true),
    ]) {
      const sets = setsOf(component)
      const names = new Set(Object.keys(component.arrays))
      for (const set of sets) {
        expect(new Set(set).size).toBe(set.length)
        expect(set.every((array) => names.has(array.slice(0, array.indexOf('['))))).toBe(true)
        const larger = sets.filter((other) => other !== set && set.every((array) => other.includes(array)))
        expect(larger).toEqual([])
      }
    }
  })
})
