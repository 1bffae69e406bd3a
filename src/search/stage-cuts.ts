/**
 * The cuts of a model's layers into stages, k layers on the last one (cost/stages.ts), and what no cut can be faster than:
 * of its longest stage, in arithmetic and overhead alone, with c a layer, h the head and v virtual stages,
 *
 *   t_k = max(k·c + h, n_k·c)      n_k the most layers of another stage
 *   floor = (m - 1/v)·t_k + (L·c + h)/v, or m·t_k where the backward pass is split
 *
 * t_k falls and then rises with k: from the most even cut on, each way, floors never fall. Under DualPipe a cut is one of
 * pairs of stages, whose chips run half of each.
 */
import type { ComputeNumbers } from '../cost/microbatch.ts'
import type { CostModel } from '../cost/model.ts'
import { fittingMixes, type MemoryNumbers } from '../cost/remat.ts'
import { splitsBackward } from '../cost/split-backward.ts'
import {
  evenLastLayers,
  mirroredLayers,
  type Schedule,
  type StageGroup,
  stageGroups,
  stageLayers,
} from '../cost/stages.ts'
import type { Problem } from '../problem.ts'
import type { Seconds } from '../units.ts'

export interface StageCut {
  readonly stageLayers: readonly number[]
  readonly groups: readonly StageGroup[]
  readonly floor: Seconds
}

export interface StageCuts {
  /** Of the most even cut. */
  readonly evenLast: number
  /** Null where a stage would have fewer layers than it must. */
  readonly of: (last: number) => StageCut | null
}

/** Null where there are too few layers for so many stages. */
export function stageCuts(
  model: CostModel,
  stages: number,
  schedule: Schedule,
  microbatches: number,
  compute: ComputeNumbers,
): StageCuts | null {
  const { model: transformer, assumptions } = model.problem
  const { layers } = transformer
  const layer = compute.forward + Math.min(...compute.backward) + 2 * assumptions.layerOverheadSeconds
  const head = compute.headForward + compute.headBackward
  const split = splitsBackward(schedule)
  const cutOf = (counts: readonly number[]): StageCut => {
    const groups = stageGroups(counts, schedule, microbatches)
    const longest = groups.reduce(
      (most, group) => Math.max(most, group.layers * layer + (group.last ? head / group.held : 0)),
      0,
    )
    const { virtualStages } = schedule
    const floor = split
      ? microbatches * longest
      : (microbatches - 1 / virtualStages) * longest + (layers * layer + head) / virtualStages
    // Added up in another order than a step: rounding must not put it above one.
    return { stageLayers: counts, groups, floor: floor * (1 - 1e-12) }
  }
  if (stages === 1 || assumptions.tokensDivideFreely) {
    const each = layers / stages
    const only = cutOf(Array.from({ length: stages }, () => each))
    return { evenLast: each, of: (last) => (last === each ? only : null) }
  }
  const paired = schedule.name === 'dualpipe'
  const [pieces, least] = paired ? [stages / 2, 2] : [stages, schedule.virtualStages]
  const evenLast = evenLastLayers(layers, pieces, least, head / layer)
  if (evenLast === null) return null
  const known = new Map<number, StageCut | null>()
  return {
    evenLast,
    of: (last) => {
      const cut = known.get(last)
      if (cut !== undefined) return cut
      const counts = paired ? mirroredLayers(layers, stages, last) : stageLayers(layers, stages, least, last)
      const made = counts && cutOf(counts)
      known.set(last, made)
      return made
    },
  }
}

/** Whether cuts with fewer layers on the last stage are worth a look, and those with more. */
export interface Onward {
  readonly fewer: boolean
  readonly more: boolean
}

/** From the most even cut on, first towards fewer layers on the last stage, then towards more, as far as asked for. */
export function walkCuts(cuts: StageCuts, visit: (cut: StageCut) => Onward): void {
  const even = cuts.of(cuts.evenLast)
  if (!even) return
  const { fewer, more } = visit(even)
  const walk = (step: number, on: (onward: Onward) => boolean) => {
    for (let last = cuts.evenLast + step, cut = cuts.of(last); cut; last += step, cut = cuts.of(last)) {
      if (!on(visit(cut))) return
    }
  }
  if (fewer) walk(-1, (onward) => onward.fewer)
  if (more) walk(1, (onward) => onward.more)
}

/** Of a cut that does not fit: layers taken from the last stage go to the others, no use where these are too full already. */
export function leaner(
  { groups }: StageCut,
  memory: MemoryNumbers,
  { memoryBudget, assumptions }: Problem,
): Onward {
  const fits = (some: readonly StageGroup[]) =>
    fittingMixes(memory, some, memoryBudget, assumptions.tokensDivideFreely).length > 0
  return {
    fewer: fits(groups.filter(({ last }) => !last)),
    more: fits(groups.filter(({ last }) => last)),
  }
}

export function anyCutFits(cuts: StageCuts, memory: MemoryNumbers, problem: Problem): boolean {
  const { memoryBudget, assumptions } = problem
  let found = false
  walkCuts(cuts, (cut) => {
    found ||= fittingMixes(memory, cut.groups, memoryBudget, assumptions.tokensDivideFreely).length > 0
    return found ? { fewer: false, more: false } : leaner(cut, memory, problem)
  })
  return found
}
