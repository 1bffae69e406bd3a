/**
 * The cuts of a model's layers into stages, named by the k layers on the last one (cost/step/stages.ts), each with a floor that it cannot
 * be faster than (timed-cuts.ts). That falls and then rises with k: from the most even cut on, in either direction, floors never fall.
 * Where a chip holds two stages, a cut is one of such pairs. Where layers differ (unlike-cuts.ts), the cuts are taken in the order of
 * their floors.
 */
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { fittingMixes, leastShortBytes } from '../../cost/memory/remat.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import { remembered } from '../../known.ts'
import { layersAreAlike } from '../../model/composition.ts'
import type { Problem } from '../../problem.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Bytes } from '../../units.ts'
import { alikeCuts, groupedCut } from './alike-cuts.ts'
import { type StageCut, timedCuts } from './timed-cuts.ts'
import { unlikeCut, unlikeCuts } from './unlike-cuts.ts'

export type StageCuts = AlikeCuts | UnlikeCuts

export interface AlikeCuts {
  readonly kind: 'alike'
  /** Layers on the last stage of the most even cut. */
  readonly evenLast: number
  /** Null when a stage would have fewer layers than it must. */
  readonly of: (last: number) => StageCut | null
}

/** A list, the cut with the least floor first: of all cuts where layers differ, as floors do not fall and rise with k there, or of the one that a plan writes. */
export interface UnlikeCuts {
  readonly kind: 'unlike'
  readonly byFloor: readonly StageCut[]
}

/** Whether stages may differ in which layers they have. */
export function cutsOf({ problem: { model, assumptions } }: Pick<CostModel, 'problem'>): StageCuts['kind'] {
  return assumptions.tokensDivideFreely || layersAreAlike(model) ? 'alike' : 'unlike'
}

/** Whether there are layers enough for so many stages. */
export function anyCuts(model: CostModel, stages: number, schedule: Schedule): boolean {
  if (cutsOf(model) === 'unlike') return unlikeCuts(model, stages, schedule).length > 0
  return cutsOfAlike(model, stages, schedule).evenLast(0) !== null
}

function cutsOfAlike({ problem: { model, assumptions } }: CostModel, stages: number, schedule: Schedule) {
  return alikeCuts(model.layers, stages, schedule, assumptions.tokensDivideFreely)
}

/** Null when there are too few layers for so many stages. */
export function stageCuts(
  model: CostModel,
  stages: number,
  schedule: Schedule,
  microbatches: number,
  compute: ComputeNumbers,
): StageCuts | null {
  const timed = timedCuts(model, stages, schedule, microbatches, compute)
  if (cutsOf(model) === 'unlike') {
    const byFloor = unlikeCuts(model, stages, schedule)
      .map(timed.unlike)
      .sort((a, b) => a.floor - b.floor)
    return byFloor.length > 0 ? { kind: 'unlike', byFloor } : null
  }
  const { evenLast, of } = cutsOfAlike(model, stages, schedule)
  const last = evenLast(timed.headLayers)
  if (last === null) return null
  const cut = (layers: number) => {
    const own = of(layers)
    return own && timed.alike(own)
  }
  return { kind: 'alike', evenLast: last, of: remembered(cut) }
}

/** The one cut that somebody wrote, whether or not it is among those that are tried. */
export function writtenCut(
  model: CostModel,
  counts: readonly number[],
  schedule: Schedule,
  microbatches: number,
  compute: ComputeNumbers,
): StageCuts {
  const timed = timedCuts(model, counts.length, schedule, microbatches, compute)
  const only =
    cutsOf(model) === 'unlike'
      ? timed.unlike(unlikeCut(model.problem, counts, schedule))
      : timed.alike(groupedCut(counts, schedule))
  return { kind: 'unlike', byFloor: [only] }
}

/** Whether cuts with fewer layers on the last stage are worth a look, and cuts with more. */
export interface Onward {
  readonly fewer: boolean
  readonly more: boolean
}

/**
 * Visits cuts from the most even one on, first towards fewer layers on the last stage, then towards more, as far as `visit` asks. Where
 * layers differ, visits them from the least floor on until it asks for neither.
 */
export function walkCuts(cuts: StageCuts, visit: (cut: StageCut) => Onward): void {
  if (cuts.kind === 'unlike') {
    cuts.byFloor.every((cut) => {
      const { fewer, more } = visit(cut)
      return fewer || more
    })
    return
  }
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

/**
 * Where to look after a cut that does not fit: taking layers from the last stage gives them to the others, which is no use where these
 * are too full already.
 */
export function leaner(
  { kind }: StageCuts,
  cut: StageCut,
  memory: MemoryNumbers,
  { memoryBudget, assumptions }: Problem,
): Onward {
  // Other stages share layers by their FLOPs, so they need not hold less when they share fewer layers.
  if (kind === 'unlike') return { fewer: true, more: true }
  const fits = (some: readonly StageGroup[]) =>
    fittingMixes(memory, some, memoryBudget, assumptions.tokensDivideFreely).length > 0
  return {
    fewer: fits(cut.groups().filter(({ last }) => !last)),
    more: fits(cut.groups().filter(({ last }) => last)),
  }
}

/**
 * Where to look for a cut that is short of less memory, and of no more than `most`. With fewer layers on the last stage that needs no more
 * and the others no less: towards fewer it is of use where the last stage is the one that is short of more, and the others of little enough.
 */
export function nearing(
  { kind }: StageCuts,
  cut: StageCut,
  memory: MemoryNumbers,
  budget: Bytes,
  most: Bytes,
): Onward {
  if (kind === 'unlike') return { fewer: true, more: true }
  const short = (some: readonly StageGroup[]) =>
    leastShortBytes(memory, some, budget, Number.POSITIVE_INFINITY)
  const last = short(cut.groups().filter((group) => group.last))
  const others = short(cut.groups().filter((group) => !group.last))
  // Each stage fits, and no policy does on all of them.
  if (Math.max(last, others) <= 0) return { fewer: true, more: true }
  return { fewer: others < last && others <= most, more: last < others && last <= most }
}

export function anyCutFits(cuts: StageCuts, memory: MemoryNumbers, problem: Problem): boolean {
  const { memoryBudget, assumptions } = problem
  let found = false
  const short = (groups: readonly StageGroup[]) => leastShortBytes(memory, groups, memoryBudget, 0)
  walkCuts(cuts, (cut) => {
    // No mix gets below what each stage takes under the policy that suits it best, but for rounding.
    const may = short(cut.groups()) <= 1e-9 * memoryBudget
    found = may && fittingMixes(memory, cut.groups(), memoryBudget, assumptions.tokensDivideFreely).length > 0
    return found ? { fewer: false, more: false } : leaner(cuts, cut, memory, problem)
  })
  return found
}
