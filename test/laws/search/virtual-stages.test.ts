import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { dividesIntoChunks, leastAtEnds } from '../../../src/cost/step/stages.ts'
import { scheduleRow } from '../../../src/recipe/schedule.ts'
import { chipsFloor } from '../../../src/search/bound/chips-floor.ts'
import { continuousBound } from '../../../src/search/bound/continuous-bound.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { virtualStageChoices } from '../../../src/search/layouts/choices.ts'
import { expandMesh } from '../../../src/search/layouts/expand.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { createWorkbench } from '../../../src/search/search.ts'
import { replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { smallDense } from '../../small-model.ts'

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

describe('plans of many virtual stages', () => {
  const asked = fc.record({
    layers: fc.integer({ min: 16, max: 50 }),
    sequences: fc.constantFrom(8, 12, 16, 24, 32),
    chips: fc.constantFrom(4, 6, 8, 12),
  })
  const posed = ({ layers, sequences, chips }: Asked) =>
    problem({
      ...{ model: { ...smallDense, layers }, chip: 'h100-sxm', chips },
      ...{ batchTokens: sequences * 4096, sequenceLength: 4096, rematerialization: ['none', 'full'] },
      assumptions: { basis: 'calibrated', frameworks: [] },
      top: 1,
    })
  type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never

  it('are under no floor of theirs, and lost by no search', () => {
    let many = 0
    forAll(15, [asked], (one) => {
      const made = posed(one)
      const model = costModel(made)
      const [bench, floors, scale] = [createWorkbench(model), meshFloors(model), createScale()]
      const [onChips, bound] = [chipsFloor(model), continuousBound(model, javascriptLpSolver)]
      let least = Number.POSITIVE_INFINITY
      for (const mesh of enumerateMeshes(made).allowed) {
        const { best } = expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false })
        if (!best) continue
        least = Math.min(least, best.score)
        if (best.schedule.virtualStages > 8) many++
        const [name, most] = [JSON.stringify({ ...one, mesh }), best.score * (1 + 1e-9)]
        expect(floors.of(mesh, scale), name).toBeLessThanOrEqual(most)
        expect(floors.hopeful(mesh, scale, most), name).toBe(true)
        expect(onChips.ofStages(one.chips, replicasOf(mesh), mesh.pipeline), name).toBeLessThanOrEqual(most)
      }
      expect(bound?.lowerBoundSeconds ?? 0).toBeLessThanOrEqual(least * (1 + 1e-9))
      expect(search(model).candidates[0]?.score).toBe(least)
    })
    expect(many).toBeGreaterThan(20)
  })
})
