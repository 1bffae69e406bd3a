import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dividesIntoChunks, leastAtEnds } from '../../../src/cost/step/stages.ts'
import { scheduleRow } from '../../../src/recipe/schedule.ts'
import { virtualStageChoices } from '../../../src/search/layouts/choices.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'

const interleaved = scheduleRow({ name: 'interleaved-1f1b' })

function tried(layers: number, pipeline: number): readonly number[] {
  return virtualStageChoices(interleaved, { ...unitMesh, pipeline }, layers)
}

describe('virtual stages that are tried', () => {
  it('of 96 layers on 8 stages are up to 8, and 12 of one layer each', () => {
    expect(tried(96, 8)).toEqual([2, 3, 4, 5, 6, 7, 8, 12])
  })

  it('of 126 layers on 8 stages are up to 8, and 16 with the embedding and the loss as chunks of their own', () => {
    expect(tried(126, 8)).toEqual([2, 3, 4, 5, 6, 7, 8, 16])
  })

  it('are none without interleaving', () => {
    expect(virtualStageChoices(scheduleRow({ name: '1f1b' }), { ...unitMesh, pipeline: 4 }, 80)).toEqual([1])
  })

  law(
    'beyond eight leave each chunk as many layers, but for the first and the last of all, which may have one fewer',
    300,
    [fc.integer({ min: 2, max: 16 }), fc.integer({ min: 1, max: 200 })],
    (stages, layers) => {
      for (const count of tried(layers, stages)) {
        const each = Math.ceil(layers / (stages * count))
        const fewer = stages * count * each - layers
        if (count > 8) {
          expect(fewer).toBeLessThanOrEqual(2)
          expect(each * count - 1).toBeGreaterThanOrEqual(leastAtEnds(count))
        }
      }
      const most = Math.floor((layers + 2) / stages)
      const all = Array.from({ length: most }, (_, index) => index + 1)
      const alike = all.filter((count) => count > 8 && dividesIntoChunks(layers, stages * count))
      expect(tried(layers, stages).filter((count) => count > 8)).toEqual(alike)
    },
  )
})
