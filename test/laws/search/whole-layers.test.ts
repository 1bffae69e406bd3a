/** Stages have whole layers, and the last the head too: floors that count on it rule out no mesh that has a plan, and rule out some that nothing else does. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { Problem } from '../../../src/problem.ts'
import type { ScheduleName } from '../../../src/recipe/schedules.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { expandMesh } from '../../../src/search/layouts/expand.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { createWorkbench } from '../../../src/search/search.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'

const sizes = { dModel: 2048, dFf: 8192, heads: 16, kvHeads: 16, headDim: 128, gatedMlp: true }

const experts = {
  experts: 4,
  activeExperts: 2,
  dFfExpert: 2048,
  sharedExperts: 0,
  denseLayers: 2,
  every: 1,
}

const asked = fc.record({
  layers: fc.integer({ min: 5, max: 30 }),
  vocab: fc.constantFrom(64, 32_000, 256_000),
  mixture: fc.boolean(),
  memoryBudget: fc.constantFrom(8e9, 20e9, 80e9),
  chips: fc.constantFrom(12, 16, 32),
})

function posed(
  { layers, vocab, mixture, ...setting }: Asked,
  schedules: readonly ScheduleName[] = ['gpipe', '1f1b', 'interleaved-1f1b', 'zb-h1', 'dualpipe'],
): Problem {
  return problem({
    model: { ...sizes, tiedEmbeddings: false, layers, vocab, ...(mixture ? { experts } : {}) },
    ...{ chip: 'h100-sxm', batchTokens: 384 * 2048, sequenceLength: 2048, ...setting },
    rematerialization: ['none', 'full'],
    assumptions: {
      basis: 'calibrated',
      frameworks: [],
      schedules,
    },
  })
}

type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never

it('allows every mesh the time of its best plan', () => {
  let planned = 0
  forAll(12, [asked], (one) => {
    const made = posed(one)
    const model = costModel(made)
    const [bench, floors, scale] = [createWorkbench(model), meshFloors(model), createScale()]
    for (const mesh of enumerateMeshes(made).allowed) {
      if (mesh.pipeline === 1 || one.layers % mesh.pipeline === 0) continue
      const { best } = expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false })
      if (!best) continue
      planned++
      const floor = floors.within(mesh, scale, best.score)
      const { zeroStage, microbatches } = best
      expect(floor?.(zeroStage, microbatches), JSON.stringify(mesh)).toBeLessThanOrEqual(best.score)
    }
  })
  expect(planned).toBeGreaterThan(100)
})

it('denies a mesh what only parts of layers would be in time for', () => {
  const made = posed({ layers: 9, vocab: 64, mixture: false, memoryBudget: 80e9, chips: 16 }, ['1f1b'])
  const model = costModel(made)
  const [bench, floors, scale] = [createWorkbench(model), meshFloors(model), createScale()]
  const uneven = enumerateMeshes(made).allowed.filter(({ pipeline }) => pipeline === 4)
  const denied = uneven.filter((mesh) => {
    const { best } = expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false })
    if (!best) return false
    // A stage has three layers, where the mean has 2.25.
    return floors.of(mesh, scale) < 0.85 * best.score && !floors.hopeful(mesh, scale, 0.9 * best.score)
  })
  expect(denied.length).toBeGreaterThan(uneven.length / 2)
})
