/**
 * A floor under the bytes by which a layout is over the budget, asked before it is cut into stages. With c_i what a further layer takes of
 * stage i, and A_i what else the stage holds and works with, a stage of k layers has, under the policy that suits it best,
 *
 *   bytes_i >= A_i + k·c_i        c_i = states + f_i·min kept, with f_i microbatches in flight
 *
 * A_i is what the stage takes with the fewest layers that it may have, less their c_i, and never falls with f_i. As the stages share all
 * layers, Σ k_i = L, the fullest of them has at least
 *
 *   max bytes_i >= (L + Σ A_i/c_i) / Σ 1/c_i
 *
 * Where layers differ only those of one kind count, as if the others took nothing. Stages that have none of these need not have A_i, so
 * that it is one A for all: of a stage without ends, and with as few in flight as any.
 */
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Mix, stageBytes } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import { rememberedOf } from '../../known.ts'
import type { Composition } from '../../model/composition.ts'
import { inFlight, scheduleRow } from '../../recipe/schedule.ts'
import type { Bytes } from '../../units.ts'
import { statesOfLayer, type Uncut } from './layout-floor.ts'
import { countedKind, layersCounted } from './stage-room.ts'

/** Bytes over the budget of any cut of a layout, under any policy. */
export function fullestShortBytes(model: CostModel, layout: Uncut, memory: MemoryNumbers): Bytes {
  const counted = countedLayers(model)
  const numbers = counted.kind ? (memory.of?.(counted.kind) ?? memory) : memory
  const stages = layout.mesh.pipeline
  const { stagesPerChip } = scheduleRow(layout.schedule)
  const states = statesOfLayer(numbers, layout.schedule)
  const kept = Math.min(...numbers.kept)
  const fewest = fewestLayers(model, counted, stages)
  const stageOf = (first: boolean, last: boolean, flying: number): Stage => {
    const bytes = leastStageBytes(numbers, groupOf(layout, first, last, flying, fewest))
    return { bytes, beyond: bytes - fewest * (states + flying * kept) }
  }
  const flyingOn = Array.from({ length: stages }, (_, stage) => {
    const index = stagesPerChip === 2 ? Math.min(stage, stages - 1 - stage) : stage
    return inFlight(layout.schedule, index, stages, layout.microbatches)
  })
  const paired = stages === 1 || stagesPerChip === 2
  const ends = counted.kind === null || stages === 1
  const inner = stageOf(false, false, Math.min(...flyingOn))
  const first = ends ? stageOf(true, paired, flyingOn[0] ?? 1) : inner
  const last = ends ? stageOf(paired, true, flyingOn[stages - 1] ?? 1) : inner
  let filled = counted.layers
  let shares = 0
  flyingOn.forEach((flying, stage) => {
    const { beyond } = stage === 0 ? first : stage === stages - 1 ? last : inner
    const each = states + flying * kept
    filled += beyond / each
    shares += 1 / each
  })
  const fullest = Math.max(filled / shares, first.bytes, last.bytes)
  // Added up in another order than a stage, so rounding must not put it above one.
  return fullest * (1 - 1e-12) - model.problem.memoryBudget
}

/** The kind of layers that counts, null where it is the average one, and how many there are. */
interface Counted {
  readonly kind: Composition | null
  readonly layers: number
}

const countedLayers = rememberedOf(
  (model: CostModel): Counted => ({ kind: countedKind(model), layers: layersCounted(model) }),
)

interface Stage {
  readonly bytes: Bytes
  readonly beyond: Bytes
}

/**
 * Where layers differ, a chip with two stages counts as their mean, and may have a layer of the kind on one of them alone; of several that
 * are there, those gathered at once need not all be of that kind.
 */
function fewestLayers({ problem }: CostModel, { kind, layers }: Counted, stages: number): number {
  if (kind) return 1 / 2
  return stages === 1 || problem.assumptions.tokensDivideFreely ? layers / stages : 1
}

function groupOf(
  { schedule, microbatches }: Uncut,
  first: boolean,
  last: boolean,
  flying: number,
  layers: number,
): StageGroup {
  const { stagesPerChip, pipelined } = scheduleRow(schedule)
  return {
    ...{ first, last, layers, stages: 1, index: 0, inFlight: flying, held: stagesPerChip },
    ...{ sums: microbatches > 1 && !pipelined, slowdown: 1, composition: null },
  }
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
