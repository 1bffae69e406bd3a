/**
 * Floors under the bytes by which a layout is over the budget, asked before it is cut into stages, and of a mesh before anything else of it
 * is known. A stage of k layers has no less than with its fewest, k', and for each further layer its states and what the leanest policy
 * keeps of the f_i microbatches in flight:
 *
 *   bytes_i(k) >= a_i + (k - k')·c_i        a_i   the bytes with k' layers, under the policy that suits best
 *                                           c_i = states + f_i·min kept
 *
 * As the p stages have all L layers, Σ k_i = L, the fullest has at least
 *
 *   max bytes_i >= (L - p·k' + Σ a_i/c_i) / Σ 1/c_i     and no less than max a_i
 *
 * Where layers differ, k' and with it the workspace hang on the kinds that a stage has, and the mean of the stages counts alone.
 */

import { type Scale, setBatch } from '../../cost/compile/term.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Mix, stageBytes } from '../../cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { ofMicrobatches, type StageGroup } from '../../cost/step/stages.ts'
import { scheduleRow } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Bytes } from '../../units.ts'
import { microbatchChoices } from '../layouts/choices.ts'
import { cutsOf } from '../stages/stage-cuts.ts'
import { layoutShortBytes, meanShortBytes, statesOfLayer, type Uncut } from './layout-floor.ts'

/** Bytes over the budget of any cut of a layout, under any policy. */
export function leastShortOf(model: CostModel, layout: Uncut, memory: MemoryNumbers): Bytes {
  if (cutsOf(model) === 'unlike') return layoutShortBytes(model, layout, memory)
  const { memoryBudget, model: transformer, assumptions } = model.problem
  const { schedule, mesh } = layout
  const stages = mesh.pipeline
  const alone = stages === 1 || assumptions.tokensDivideFreely
  const fewest = alone ? transformer.layers / stages : 1
  const states = statesOfLayer(memory, schedule)
  const kept = Math.min(...memory.kept)
  let most = 0
  let shares = 0
  let filled = transformer.layers - stages * fewest
  for (let stage = 0; stage < stages; stage++) {
    const group = stageOf(layout, stage, fewest)
    const least = leastStageBytes(memory, group)
    const each = states + group.inFlight * kept
    most = Math.max(most, least)
    shares += 1 / each
    filled += least / each
  }
  // Added up in another order than a stage, so rounding must not put it above one.
  return Math.max(most, filled / shares) * (1 - 1e-12) - memoryBudget
}

/** Bytes over the budget of any layout of a mesh under a ZeRO stage. */
export function meshShortBytes(model: CostModel, mesh: Mesh, zeroStage: ZeroStage, scale: Scale): Bytes {
  const sizes = microbatchChoices(mesh, model.problem).map(({ sequences }) => sequences)
  setBatch(scale, Math.min(...sizes))
  return meanShortBytes(model, mesh, stageModel(model, zeroStage), scale)
}

/** A stage, or a chip with that stage and its mirror, with so many layers. */
function stageOf({ schedule, mesh, microbatches }: Uncut, stage: number, layers: number): StageGroup {
  const stages = mesh.pipeline
  const held = scheduleRow(schedule).stagesPerChip
  const mirror = stages - 1 - stage
  const index = held === 2 ? Math.min(stage, mirror) : stage
  const first = index === 0
  const last = held === 2 ? first : mirror === 0
  const { inFlight, sums } = ofMicrobatches(schedule, index, stages, microbatches)
  return { first, last, layers, stages: 1, index, inFlight, sums, held, slowdown: 1, composition: null }
}

/** All bytes of a stage under the policy that suits it best. */
function leastStageBytes(memory: MemoryNumbers, group: StageGroup): Bytes {
  let least = Number.POSITIVE_INFINITY
  for (let policy = 0; policy < memory.kept.length; policy++) {
    const alone: Mix = { policy, other: policy, count: 0 }
    least = Math.min(least, stageBytes(memory, group, alone))
  }
  return least
}
