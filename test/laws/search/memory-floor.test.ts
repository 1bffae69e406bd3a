/** What a layout takes at least is known before it is cut into stages: no cut takes less, under whatever policies, and no layout of a mesh. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { leastShortBytes } from '../../../src/cost/memory/remat.ts'
import { shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import type { StageGroup } from '../../../src/cost/step/stages.ts'
import type { Problem } from '../../../src/problem.ts'
import { fullestShortBytes } from '../../../src/search/bound/memory-floor.ts'
import { microbatchChoices, scheduleChoices, zeroChoices } from '../../../src/search/layouts/choices.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { everyLean, meshShortBytes } from '../../../src/search/layouts/lean-layouts.ts'
import { meshesOf } from '../../../src/search/meshes/of-context-layout.ts'
import { stageCuts, walkCuts } from '../../../src/search/stages/stage-cuts.ts'
import type { Bytes } from '../../../src/units.ts'
import { trainingProblems } from '../../agree/training/problems.ts'
import { forAll } from '../../law.ts'

const every = Number.POSITIVE_INFINITY

/** One of the problem's models and meshes, if there are any. */
function pickedOf(problem: Problem, at: number) {
  const models = contextModels(problem)
  const model = models[at % models.length]
  const { allowed } = model ? meshesOf(model) : { allowed: [] }
  return { model, mesh: allowed[at % Math.max(1, allowed.length)] }
}

/** The least bytes over the budget of a cut of which all layers have one policy. */
function ofOnePolicy(memory: MemoryNumbers, groups: readonly StageGroup[], budget: Bytes): Bytes {
  const each = memory.kept.map((_, policy) =>
    shortBytes(memory, groups, { policy, other: policy, count: 0 }, budget),
  )
  return Math.min(...each)
}

it('is under every cut and every policy, and close to most of them', () => {
  let [close, all] = [0, 0]
  forAll(60, [trainingProblems, fc.nat()], (problem, at) => {
    const { memoryBudget } = problem
    const { model, mesh } = pickedOf(problem, at)
    if (!model || !mesh) return
    const scale = createScale()
    const ofMesh = meshShortBytes(model, mesh, scale)
    const rounding = 1e-9 * memoryBudget
    for (const { microbatches, sequences } of microbatchChoices(mesh, problem)) {
      for (const zeroStage of zeroChoices(mesh, problem)) {
        setMesh(scale, mesh, model.extents, problem.assumptions)
        setBatch(scale, sequences)
        const memory = memoryNumbers(model, stageModel(model, zeroStage), scale)
        const compute = computeNumbers(model, scale)
        for (const schedule of scheduleChoices(mesh, problem, microbatches)) {
          const cuts = stageCuts(model, mesh.pipeline, schedule, microbatches, compute)
          if (!cuts) continue
          const floor = fullestShortBytes(model, { mesh, schedule, microbatches }, memory)
          let [least, leanest] = [every, every]
          walkCuts(cuts, (cut) => {
            least = Math.min(least, leastShortBytes(memory, cut.groups(), memoryBudget, every))
            leanest = Math.min(leanest, ofOnePolicy(memory, cut.groups(), memoryBudget))
            return { fewer: true, more: true }
          })
          expect(floor).toBeLessThanOrEqual(least + rounding)
          expect(ofMesh).toBeLessThanOrEqual(leanest + rounding)
          all++
          if (floor + memoryBudget > 0.8 * (least + memoryBudget)) close++
        }
      }
    }
  })
  expect(close).toBeGreaterThan(all / 2)
})

it('passes over no layout that is short of as little as asked', () => {
  forAll(
    40,
    [trainingProblems, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true })],
    (problem, at, share) => {
      const { memoryBudget } = problem
      const { model, mesh } = pickedOf(problem, at)
      if (!model || !mesh) return
      const shortOf = (most: number) => {
        const found = new Map<string, number>()
        everyLean(
          model,
          mesh,
          createScale(),
          () => most,
          ({ layout, cuts, memory }) => {
            let least = every
            walkCuts(cuts, (cut) => {
              least = Math.min(least, ofOnePolicy(memory, cut.groups(), memoryBudget))
              return { fewer: true, more: true }
            })
            const { zeroStage, microbatches, schedule } = layout
            found.set(JSON.stringify([zeroStage, microbatches, schedule]), least)
            return true
          },
        )
        return found
      }
      const all = shortOf(every)
      const most = [...all.values()].sort((a, b) => a - b)[Math.floor(share * (all.size - 1))] ?? 0
      const some = shortOf(most + 1e-9 * memoryBudget)
      for (const [layout, short] of all) if (short <= most) expect(some.get(layout)).toBe(short)
    },
  )
})
