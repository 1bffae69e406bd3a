/**
 * Whether a layout can fit at all is tested before its partitions into stages are tried: the test never excludes a
 * layout that has one which fits.
 */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import { hasRoom } from '../../../src/search/bound/layout-floor.ts'
import { microbatchChoices, scheduleChoices, zeroChoices } from '../../../src/search/layouts/choices.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { placedCosts } from '../../../src/search/stages/placed-costs.ts'
import { stageCuts, walkCuts } from '../../../src/search/stages/stage-cuts.ts'
import { stageNumbers } from '../../../src/search/stages/stage-numbers.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

/** Nearly all of what they hold is layers. */
const deep = {
  ...{
    dModel: 512,
    dFf: 2048,
    heads: 8,
    kvHeads: 8,
    headDim: 64,
    vocab: 64,
    gatedMlp: true,
    tiedEmbeddings: true,
  },
}

const asked = fc.record({
  layers: fc.integer({ min: 4, max: 24 }),
  at: fc.nat(),
  policies: fc.subarray([...policyNames('counted')], { minLength: 1, maxLength: 3 }),
  dense: fc.boolean(),
})

it('is not denied to what fits, and is to half of it', () => {
  let denied = 0
  forAll(30, [asked], ({ layers, at, policies, dense }) => {
    const experts = {
      experts: 4,
      activeExperts: 1,
      dFfExpert: 512,
      sharedExperts: 0,
      denseLayers: 2,
      every: 1,
    }
    const made = problem({
      model: { ...deep, layers, ...(dense ? {} : { experts }) },
      ...{ chip: 'h100-sxm', chips: 16, batchTokens: 64 * 1024, sequenceLength: 1024 },
      rematerialization: policies,
      assumptions: {
        basis: 'calibrated',
        schedules: ['gpipe', '1f1b', 'interleaved-1f1b', 'zb-h1', 'dualpipe'],
      },
    })
    const model = costModel(made)
    const scale = createScale()
    const pick = <Item>(items: readonly Item[]): Item => items[at % items.length] as Item
    const mesh = pick(enumerateMeshes(made).allowed)
    setMesh(scale, mesh, model.extents, padded)
    const places = placedCosts(model, mesh)
    const microbatching = pick(microbatchChoices(mesh, made))
    setBatch(scale, microbatching.sequences)
    const compute = computeNumbers(model, scale)
    for (const zeroStage of zeroChoices(mesh, made)) {
      const numbers = stageNumbers(model, scale, { zeroStage, compute, places })
      for (const schedule of scheduleChoices(mesh, made, microbatching.microbatches)) {
        const cuts = stageCuts(model, mesh.pipeline, schedule, microbatching.microbatches, compute)
        if (!cuts) continue
        let least = Number.POSITIVE_INFINITY
        walkCuts(cuts, (cut) => {
          numbers.memory.kept.forEach((_, policy) => {
            const mix = { policy, other: policy, count: 0 }
            least = Math.min(least, shortBytes(numbers.memory, cut.groups(), mix, 0))
          })
          return { fewer: true, more: true }
        })
        const within = (memoryBudget: number) =>
          hasRoom(
            { ...model, problem: { ...made, memoryBudget } },
            { mesh, schedule, microbatches: microbatching.microbatches },
            numbers.memory,
          )
        expect(within(least)).toBe(true)
        if (!within(least / 2)) denied++
      }
    }
  })
  expect(denied).toBeGreaterThan(20)
})
