/**
 * A floor under every cut of a layout into stages, where layers differ, asked before its many cuts are walked. The p chips i have
 * windows w(x_i) that are convex in what they compute and move; with x the mean of the x_i,
 *
 *   time     (m - 1/v)·max w(x_i) + once_i + Σ w(x_i)/v  >=  the same of p stages that are all the mean
 *            m·max w(x_i) + once_i                       >=  likewise, where the backward pass is split
 *   memory   max (states_i + f_i·kept_i)                 >=  states + min f_i · kept
 *
 * with everything kept for time, and for memory under the policy that suits best. The ends of the model, the optimizer and the workspace
 * are left out.
 */

import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { Scale } from '../../cost/compile/term.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { layerStateBytes, leastKeptBytes } from '../../cost/memory/memory-numbers.ts'
import type { Mix } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import { onceTime, type StepScratch, stageTime } from '../../cost/step/stage-time.ts'
import type { Layers, StageGroup } from '../../cost/step/stages.ts'
import { stepTime } from '../../cost/step/step.ts'
import { inFlight, type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Layout } from '../layouts/candidate.ts'
import { cutsOf } from '../stages/stage-cuts.ts'
import type { StageNumbers } from '../stages/stage-numbers.ts'

export type Uncut = Pick<Layout, 'mesh' | 'schedule' | 'microbatches'>

/** Time on the best conceivable placement; 0 where the request does not allow everything to be kept, as nothing is known then. */
export function layoutFloor(
  model: CostModel,
  { schedule, microbatches, mesh }: Uncut,
  { compute, memory, traffics }: StageNumbers,
  scratch: StepScratch,
): Seconds {
  if (memory.least < 0) return 0
  const keepAll: Mix = { policy: memory.least, other: memory.least, count: 0 }
  const { stagesPerChip, split } = scheduleRow(schedule)
  const group = meanStage(model, mesh.pipeline, stagesPerChip)
  const layers: Layers = { groups: [group], schedule, microbatches, update: 0 }
  let least = Number.POSITIVE_INFINITY
  for (const traffic of traffics(schedule, microbatches).best) {
    const step = { model, compute, traffic, layers, scratch }
    if (split) {
      const own = stageTime(step, group, keepAll, 'expected')
      const once = onceTime(step, group, keepAll, 'expected', own)
      least = Math.min(least, microbatches * own + once)
    } else {
      least = Math.min(least, stepTime(step, keepAll, 'expected'))
    }
  }
  // Added up in another order than a step, so rounding must not put it above one.
  return least * (1 - 1e-12)
}

/** What layers hold and keep, whatever the cut. */
export type LayersHeld = Pick<MemoryNumbers, 'layer' | 'shardsOptimizer' | 'kept' | 'reserve'>

/** Bytes over the budget of any cut. */
export function layoutShortBytes(
  model: CostModel,
  { schedule, microbatches, mesh }: Uncut,
  memory: LayersHeld,
): Bytes {
  const { pipeline } = mesh
  const least = Math.min(
    inFlight(schedule, 0, pipeline, microbatches),
    inFlight(schedule, pipeline - 1, pipeline, microbatches),
  )
  return shortOfMean(model, mesh, memory, statesOfLayer(memory, schedule) + least * Math.min(...memory.kept))
}

/**
 * False when no cut fits, under whatever policy. Of layers that are alike, stage i has room for at most
 * k_i = (budget - reserve)/(states + f_i·kept), and all stages for no more than their sum.
 */
export function hasRoom(model: CostModel, layout: Uncut, memory: LayersHeld): boolean {
  if (cutsOf(model) === 'unlike') return layoutShortBytes(model, layout, memory) <= 0
  const { memoryBudget, model: transformer } = model.problem
  const { schedule, microbatches, mesh } = layout
  const states = statesOfLayer(memory, schedule)
  const kept = Math.min(...memory.kept)
  const room = memoryBudget - memory.reserve * (1 - 1e-12)
  let layers = 0
  for (let stage = 0; stage < mesh.pipeline; stage++) {
    layers += room / (states + inFlight(schedule, stage, mesh.pipeline, microbatches) * kept)
  }
  return layers >= transformer.layers * (1 - 1e-9)
}

/** Bytes over the budget of any layout of a mesh under a ZeRO stage: those of its average chip, with one microbatch in flight. */
export function meanShortBytes(model: CostModel, mesh: Mesh, scale: Scale): (stage: StageModel) => Bytes {
  const reserve = reserveBytes(model.problem)
  const kept = leastKeptBytes(model, scale)
  return (stage) => shortOfMean(model, mesh, { reserve }, layerStateBytes(model, stage, scale) + kept)
}

/** Bytes by which the layers of an average chip, of `each` bytes, are over the budget. */
function shortOfMean(
  { problem }: CostModel,
  { pipeline }: Mesh,
  { reserve }: Pick<MemoryNumbers, 'reserve'>,
  each: Bytes,
): Bytes {
  const mean = (problem.model.layers / pipeline) * each
  // Added up in another order than a stage, so rounding must not put it above one.
  return (mean + reserve) * (1 - 1e-12) - problem.memoryBudget
}

/** States of one layer, for each of the stages that a chip holds. */
export function statesOfLayer({ layer, shardsOptimizer }: LayersHeld, schedule: Schedule): Bytes {
  const held = scheduleRow(schedule).stagesPerChip
  const optimizer = layer.optimizer / (shardsOptimizer ? held : 1)
  return held * (layer.weights + layer.gradients + optimizer)
}

function meanStage({ problem }: CostModel, stages: number, held: 1 | 2): StageGroup {
  return {
    ...{ first: false, last: false, layers: problem.model.layers / stages, stages, index: 0 },
    ...{ inFlight: 1, sums: false, held, slowdown: 1, composition: null },
  }
}
