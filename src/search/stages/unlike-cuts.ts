/**
 * The cuts into stages of a model whose layers differ. For k layers on the last stage the other stages share the
 * first L - k by their FLOPs: those of attention with its dot products, and of an MLP or of the experts that a token
 * visits (even-partition.ts). Of all k only the few are kept whose longest stage, with the head, has the fewest FLOPs. What a layer
 * takes beyond its FLOPs is left out, so that faster chips have the same cuts.
 *
 * Where a chip holds several pieces of the model (interleaved stages, or two stages), cuts are made as if all layers were alike
 * (alike-cuts.ts).
 */
import type { CostModel } from '../../cost/model.ts'
import { known } from '../../known.ts'
import { type Composition, mirroredCompositions, stageCompositions } from '../../model/composition.ts'
import { hasExperts } from '../../model/expert-layers.ts'
import { layerKindFlops, unembeddingFlops } from '../../model/flops.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Problem } from '../../problem.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Flops } from '../../units.ts'
import { type GroupedCut, groupedCut, layersByLast } from './alike-cuts.ts'
import { evenPartition } from './even-partition.ts'

export interface UnlikeCut extends GroupedCut {
  /** By stage, or by chip where a chip has two stages. */
  readonly compositions: readonly Composition[]
}

/**
 * Kept for one model at a time, and for a limited number of questions: catalogue models live as
 * long as the process, and there is no end of sequence lengths.
 */
let kept = { model: null as Transformer | null, cuts: new Map<string, readonly UnlikeCut[]>() }
const mostKept = 1000

/** Each cut costs as much to try as a layout of like layers; further ones were never seen to win. */
const mostCuts = 5

/** The cuts, the most even first. */
export function unlikeCuts(
  { problem }: Pick<CostModel, 'problem'>,
  stages: number,
  schedule: Schedule,
): readonly UnlikeCut[] {
  const { virtualStages } = schedule
  const { model, workload, assumptions } = problem
  const paired = scheduleRow(schedule).stagesPerChip === 2
  const key = [stages, virtualStages, paired, workload.sequenceLength, assumptions.attentionFlops].join()
  if (kept.model !== model || kept.cuts.size >= mostKept) kept = { model, cuts: new Map() }
  return known(kept.cuts, key, () => evenestCuts(problem, stages, schedule))
}

function evenestCuts(problem: Problem, stages: number, schedule: Schedule): readonly UnlikeCut[] {
  const { model } = problem
  const compositions = interned()
  const { of, least } = cutsByLast(problem, stages, schedule)
  const lasts = Array.from({ length: model.layers }, (_, at) => at + 1).sort((a, b) => least(a) - least(b))
  let few: readonly { readonly last: number; readonly cut: UnlikeCut; readonly longest: Flops }[] = []
  for (const last of lasts) {
    const worst = few.length < mostCuts ? Number.POSITIVE_INFINITY : (few.at(-1)?.longest ?? 0)
    if (least(last) > worst) break
    const counts = of(last)
    if (!counts) continue
    const cut = unlikeCut(problem, counts, schedule, compositions)
    few = [...few, { last, cut, longest: longestFlops(problem, cut) }]
      .sort((a, b) => a.longest - b.longest || a.last - b.last)
      .slice(0, mostCuts)
  }
  return few.map(({ cut }) => cut)
}

/** One cut with these layers by stage; `same` gives a single composition for all that are equal. */
export function unlikeCut(
  { model }: Pick<Problem, 'model'>,
  counts: readonly number[],
  schedule: Schedule,
  same: (composition: Composition) => Composition = interned(),
): UnlikeCut {
  const paired = scheduleRow(schedule).stagesPerChip === 2
  const own = paired
    ? mirroredCompositions(model, counts)
    : stageCompositions(model, counts, schedule.virtualStages)
  const compositions = own.map(same)
  return { ...groupedCut(counts, schedule, compositions), compositions }
}

/** FLOPs of one token on the stage that has the most: its layers, and on the last stage the head. */
function longestFlops({ model, workload, assumptions }: Problem, { groups }: UnlikeCut): Flops {
  const { dense, sparse } = layerKindFlops(model, workload.sequenceLength, assumptions.attentionFlops)
  const head = unembeddingFlops(model, 1 + model.multiTokenLayers)
  return groups.reduce((most, { composition, last, held }) => {
    const layers = composition ? composition.dense * dense + composition.sparse * sparse : 0
    return Math.max(most, layers + (last ? head / held : 0))
  }, 0)
}

/** For each number of layers on the last stage: the cut, null when there is none, and the fewest FLOPs that its longest stage can have. */
function cutsByLast(
  problem: Problem,
  stages: number,
  schedule: Schedule,
): { readonly of: (last: number) => readonly number[] | null; readonly least: (last: number) => Flops } {
  const { model } = problem
  const { layers } = model
  const severalOnChip = schedule.virtualStages > 1 || scheduleRow(schedule).stagesPerChip === 2
  if (severalOnChip || stages === 1) return { ...layersByLast(layers, stages, schedule), least: () => 0 }
  const flops = layerFlops(problem)
  const sums = [0]
  for (const each of flops) sums.push((sums.at(-1) ?? 0) + each)
  const all = sums.at(-1) ?? 0
  const head = unembeddingFlops(model, 1 + model.multiTokenLayers)
  return {
    of: (last) => {
      const others = evenPartition(flops.slice(0, layers - last), stages - 1)
      return others && [...others, last]
    },
    least: (last) => {
      const others = sums[layers - last] ?? 0
      // Added up in another order than a stage, so rounding must not put it above one.
      return Math.max(all - others + head, others / (stages - 1)) * (1 - 1e-9)
    },
  }
}

/** FLOPs of each layer, in the model's order. */
function layerFlops({ model, workload, assumptions }: Problem): readonly Flops[] {
  const { dense, sparse } = layerKindFlops(model, workload.sequenceLength, assumptions.attentionFlops)
  return Array.from({ length: model.layers }, (_, layer) => (hasExperts(model, layer) ? sparse : dense))
}

/** Makes equal compositions one object, as numbers are kept by object. */
function interned(): (composition: Composition) => Composition {
  const seen = new Map<string, Composition>()
  return (composition) => {
    const { layers, dense, sparse } = composition
    return known(seen, `${layers} ${dense} ${sparse}`, () => composition)
  }
}
