/**
 * If layers differ, the exact partition of a plan's layers into stages (search/stages/stage-partition.ts) beside the
 * plan's own, each layer taking the time that it has under the plan's mesh, placement and policies. The search itself
 * tries only partitions that balance FLOPs (search/stages/unlike-cuts.ts). The embedding belongs to the first layer;
 * the loss and the layers that predict further tokens belong to the last.
 *
 * A stage's time is the sum of its layers' times; its memory limit is the budget less the reserve and the largest
 * workspace, with the plan's mix of policies spread evenly over the layers. As this is stricter than what the plan was
 * tested against, the plan's own partition is kept if no better one is found.
 */
import { ofStage } from '../../cost/compile/composed.ts'
import type { StateNumbers } from '../../cost/memory/layer-bytes.ts'
import { endStates, fixedMemory, liveBytes, overLayers } from '../../cost/memory/stage-memory.ts'
import { stageTime } from '../../cost/step/stage-time.ts'
import { onlyStage, type StageGroup } from '../../cost/step/stages.ts'
import { known } from '../../known.ts'
import { type Composition, layersAreAlike, stageCompositions } from '../../model/composition.ts'
import { inFlight } from '../../recipe/schedule.ts'
import { type LayerLoad, type StageRoom, stagePartition } from '../../search/stages/stage-partition.ts'
import type { StagePartitionAccount } from '../plan.ts'
import type { Costing } from './costing.ts'

/** Null if all layers are alike, if there is only one stage, or if a chip holds several pieces of the model. */
export function stagePartitionAccount(costing: Costing): StagePartitionAccount | null {
  const { model, candidate } = costing
  const { model: transformer, assumptions, memoryBudget } = model.problem
  const { schedule, stageLayers, groups, microbatches, mix } = candidate
  const alike = layersAreAlike(transformer) || assumptions.tokensDivideFreely
  const inPieces = schedule.virtualStages > 1 || groups.some(({ held }) => held > 1)
  if (alike || inPieces || stageLayers.length === 1) return null
  const loads = layerLoads(costing)
  const taken = Math.max(
    ...groups.map((group) => {
      const { workspace, reserve } = fixedMemory(costing.memory, group)
      return workspace + reserve + liveBytes(costing.memory, group, mix)
    }),
  )
  const limit = memoryBudget - taken
  const stages = stageLayers.length
  const rooms = stageLayers.map(
    (_, stage): StageRoom => ({ inFlight: inFlight(schedule, stage, stages, microbatches), limit }),
  )
  const cut = stagePartition(loads, rooms)
  const own = longestOf(loads, stageLayers)
  // The tolerance is for sums in another order.
  const shorter = cut !== null && cut.longest < own * (1 - 1e-9) ? cut : { counts: stageLayers, longest: own }
  return {
    stageLayers: shorter.counts,
    longestStageSeconds: shorter.longest,
    evenLongestStageSeconds: own,
  }
}

function longestOf(loads: readonly LayerLoad[], counts: readonly number[]): number {
  let from = 0
  const times = counts.map((count) => {
    from += count
    return loads.slice(from - count, from).reduce((sum, { time }) => sum + time, 0)
  })
  return Math.max(...times)
}

/** Loads of each layer in the model's order, as if it were a stage of its own. */
function layerLoads(costing: Costing): readonly LayerLoad[] {
  const { model: transformer } = costing.model.problem
  const { layers } = transformer
  const loads = new Map<string, LayerLoad>()
  return stageCompositions(transformer, new Array<number>(layers).fill(1)).map((composition, layer) => {
    const [first, last] = [layer === 0, layer === layers - 1]
    const key = `${composition.sparse} ${first} ${last}`
    return known(loads, key, () => loadOf(costing, composition, first, last))
  })
}

/** Load of one layer, including the embedding or the head if it is the first or the last. */
function loadOf(costing: Costing, composition: Composition, first: boolean, last: boolean): LayerLoad {
  const { mix, stageLayers } = costing.candidate
  const layers = stageLayers.reduce((sum, count) => sum + count, 0)
  const again = stageLayers.reduce((sum, count) => sum + Math.min(mix.count, count), 0) / layers
  const mean = { ...mix, count: again }
  const group: StageGroup = { ...onlyStage(1, composition), first, last }
  const alone = { ...costing, layers: { ...costing.layers, groups: [group] } }
  const memory = ofStage(costing.memory, group)
  const bytes = ({ weights, gradients, optimizer }: StateNumbers) => weights + gradients + optimizer
  return {
    time: stageTime(alone, group, mean, 'expected'),
    bytes: bytes(memory.layer) + endStates(memory, group, bytes),
    kept: overLayers(mean, 1, memory.kept),
  }
}
