/**
 * The cuts into stages of a model whose layers differ: for a number k of layers on the last stage the others share the
 * first L - k by their FLOPs, those of attention, dot products among them, and of an MLP or of the experts that a token
 * visits (even-partition.ts). Of all k the few whose longest stage has the fewest FLOPs, the head's among them. What a layer
 * takes beyond its FLOPs is left out, so that faster chips have the same cuts.
 *
 * Interleaved stages, and two on a chip, which are in several pieces, have as many layers as if they were alike
 * (cost/step/stages.ts).
 */
import type { CostModel } from '../../cost/model.ts'
import { mirroredLayers, type StageGroup, stageGroups, stageLayers } from '../../cost/step/stages.ts'
import { type Composition, mirroredCompositions, stageCompositions } from '../../model/composition.ts'
import { hasExperts } from '../../model/expert-layers.ts'
import { layerKindFlops, unembeddingFlops } from '../../model/flops.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Problem } from '../../problem.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Flops } from '../../units.ts'
import { evenPartition } from './even-partition.ts'

export interface UnlikeCut {
  readonly stageLayers: readonly number[]
  /** By stage, or by chip where a chip has two. */
  readonly compositions: readonly Composition[]
  /** Of one microbatch: how many there are changes what is in flight and nothing else. */
  readonly groups: readonly StageGroup[]
}

/** Of one model at a time, and of so many of its questions: models of the catalogue stay for good, and lengths there are without end. */
let known = { model: null as Transformer | null, cuts: new Map<string, readonly UnlikeCut[]>() }
const mostKnown = 1000

/** Each costs as much to try as a layout of like layers; further ones were not seen to win. */
const mostCuts = 5

/** The most even first. */
export function unlikeCuts(
  { problem }: Pick<CostModel, 'problem'>,
  stages: number,
  schedule: Schedule,
): readonly UnlikeCut[] {
  const { virtualStages } = schedule
  const { model, workload, assumptions } = problem
  const paired = scheduleRow(schedule).stagesPerChip === 2
  const key = [stages, virtualStages, paired, workload.sequenceLength, assumptions.attentionFlops].join()
  if (known.model !== model || known.cuts.size >= mostKnown) known = { model, cuts: new Map() }
  const { cuts: before } = known
  const found = before.get(key)
  if (found) return found
  const compositions = interned()
  const cuts = everyCut(problem, stages, virtualStages, paired).map((counts): UnlikeCut => {
    const own = paired ? mirroredCompositions(model, counts) : stageCompositions(model, counts, virtualStages)
    const alike = own.map(compositions)
    return { stageLayers: counts, compositions: alike, groups: stageGroups(counts, schedule, 1, alike) }
  })
  const longest = new Map(cuts.map((cut) => [cut, longestFlops(problem, cut)]))
  const few = [...cuts].sort((a, b) => (longest.get(a) ?? 0) - (longest.get(b) ?? 0)).slice(0, mostCuts)
  before.set(key, few)
  return few
}

/** Of a token on the stage that has most: its layers, and the head's share on the last. */
function longestFlops({ model, workload, assumptions }: Problem, { groups }: UnlikeCut): Flops {
  const { dense, sparse } = layerKindFlops(model, workload.sequenceLength, assumptions.attentionFlops)
  const head = unembeddingFlops(model, 1 + model.multiTokenLayers)
  return groups.reduce((most, { composition, last, held }) => {
    const layers = composition ? composition.dense * dense + composition.sparse * sparse : 0
    return Math.max(most, layers + (last ? head / held : 0))
  }, 0)
}

function everyCut(
  problem: Problem,
  stages: number,
  virtualStages: number,
  paired: boolean,
): readonly (readonly number[])[] {
  const { layers } = problem.model
  const flops = layerFlops(problem)
  return flops.flatMap((_, at) => {
    const last = at + 1
    if (paired) return listed(mirroredLayers(layers, stages, last))
    if (virtualStages > 1 || stages === 1) return listed(stageLayers(layers, stages, virtualStages, last))
    const others = evenPartition(flops.slice(0, layers - last), stages - 1)
    return others ? [[...others, last]] : []
  })
}

function listed(counts: readonly number[] | null): readonly (readonly number[])[] {
  return counts ? [counts] : []
}

/** In the model's order. */
function layerFlops({ model, workload, assumptions }: Problem): readonly Flops[] {
  const { dense, sparse } = layerKindFlops(model, workload.sequenceLength, assumptions.attentionFlops)
  return Array.from({ length: model.layers }, (_, layer) => (hasExperts(model, layer) ? sparse : dense))
}

/** Compositions that are the same become one: numbers are kept for each. */
function interned(): (composition: Composition) => Composition {
  const seen = new Map<string, Composition>()
  return (composition) => {
    const key = `${composition.layers} ${composition.dense} ${composition.sparse}`
    const one = seen.get(key) ?? composition
    seen.set(key, one)
    return one
  }
}
