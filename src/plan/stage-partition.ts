/**
 * Where dense layers and layers with experts follow each other, the stages that suit them: the cost model counts every layer
 * as the average one, so that its stages are even; this is the exact cut of the layers as they are (search/stage-partition.ts),
 * with the embedding on the first and the loss on the last.
 *
 * Each kind is costed as a model of that kind alone, under the plan's mesh, placement and policies; a stage's time is the sum
 * of its layers' windows, and its budget what the reserve and the plan's workspace leave.
 */
import { computeNumbers, trafficNumbers } from '../cost/microbatch.ts'
import { type CostModel, costModel } from '../cost/model.ts'
import { fixedMemory, liveBytes, memoryNumbers, type StateNumbers } from '../cost/remat.ts'
import { hidesRouted } from '../cost/split-backward.ts'
import { inFlight, type StageGroup } from '../cost/stages.ts'
import { createStepScratch, stageTime } from '../cost/step.ts'
import { expertLayers, hasExperts } from '../model/expert-layers.ts'
import { stageModel } from '../search/stage-numbers.ts'
import { type LayerLoad, type StageRoom, stagePartition } from '../search/stage-partition.ts'
import type { Costing } from './costing.ts'
import type { StagePartitionAccount } from './plan.ts'

/** Null where layers are alike, a chip has several pieces of the model, or no cut fits. */
export function stagePartitionAccount(costing: Costing): StagePartitionAccount | null {
  const { model, candidate } = costing
  const { model: transformer, assumptions, memoryBudget } = model.problem
  const { schedule, stageLayers, groups, microbatches, mix } = candidate
  const sparse = expertLayers(transformer)
  const alike = sparse === 0 || sparse === transformer.layers || assumptions.tokensDivideFreely
  const inPieces = schedule.virtualStages > 1 || groups.some(({ held }) => held > 1)
  if (alike || inPieces || stageLayers.length === 1) return null
  const loads = layerLoads(costing)
  const taken = Math.max(
    ...groups.map((group) => {
      const { workspace, reserve } = fixedMemory(costing.memory, group)
      return workspace + reserve
    }),
  )
  const limit = memoryBudget - taken - liveBytes(costing.memory, mix)
  const stages = stageLayers.length
  const rooms = stageLayers.map(
    (_, stage): StageRoom => ({ inFlight: inFlight(schedule, stage, stages, microbatches), limit }),
  )
  const cut = stagePartition(loads, rooms)
  if (!cut) return null
  return {
    stageLayers: cut.counts,
    longestStageSeconds: cut.longest,
    evenLongestStageSeconds: longestOf(loads, stageLayers),
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

/** In the model's order. */
function layerLoads(costing: Costing): readonly LayerLoad[] {
  const { problem, contextLayout } = costing.model
  const { experts, layers } = problem.model
  const alone = (mixture: typeof experts) =>
    costModel({ ...problem, model: { ...problem.model, experts: mixture } }, contextLayout)
  const dense = alone(null)
  const sparse = alone(experts && { ...experts, denseLayers: 0, every: 1 })
  const known = new Map<string, LayerLoad>()
  return Array.from({ length: layers }, (_, layer) => {
    const kind = hasExperts(problem.model, layer) ? sparse : dense
    const [first, last] = [layer === 0, layer === layers - 1]
    const key = `${kind === sparse} ${first} ${last}`
    const load = known.get(key) ?? loadOf(costing, kind, first, last)
    known.set(key, load)
    return load
  })
}

/** One layer of a kind, with the ends of the model that stand beside it. */
function loadOf({ candidate, scale }: Costing, kind: CostModel, first: boolean, last: boolean): LayerLoad {
  const { mesh, placement, zeroStage, schedule, mix, stageLayers } = candidate
  const stage = stageModel(kind, zeroStage)
  const costs = kind.prices.placed(placement, mesh)
  const traffic = trafficNumbers(kind, stage, scale, costs, hidesRouted(schedule))
  const memory = memoryNumbers(kind, stage, scale)
  const layers = stageLayers.reduce((sum, count) => sum + count, 0)
  const again = stageLayers.reduce((sum, count) => sum + Math.min(mix.count, count), 0) / layers
  const group: StageGroup = { first, last, layers: 1, stages: 1, index: 0, inFlight: 1, held: 1 }
  const bytes = ({ weights, gradients, optimizer }: StateNumbers) => weights + gradients + optimizer
  const front = memory.tied && last ? memory.positions : memory.embedding
  const kept = (policy: number) => memory.kept[policy] ?? 0
  return {
    time: stageTime(
      kind,
      computeNumbers(kind, scale),
      traffic,
      group,
      { groups: [group], schedule },
      { ...mix, count: again },
      'expected',
      createStepScratch(kind.resources),
    ),
    bytes: bytes(memory.layer) + (first ? bytes(front) : 0) + (last ? bytes(memory.head) : 0),
    kept: (1 - again) * kept(mix.policy) + again * kept(mix.other),
  }
}
