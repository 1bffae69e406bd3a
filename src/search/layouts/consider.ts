/**
 * One layout: its cuts into stages, and for each the best memory policy on the best placement. A cut that is over the limit even on the best
 * conceivable placement is dropped without being placed.
 */

import type { Scale } from '../../cost/compile/term.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { fittingMixes, leastShortBytes } from '../../cost/memory/remat.ts'
import { type Mix, shortBytes } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import type { TrafficNumbers } from '../../cost/step/microbatch.ts'
import type { Step, StepScratch } from '../../cost/step/stage-time.ts'
import type { Layers } from '../../cost/step/stages.ts'
import { stepTime } from '../../cost/step/step.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import type { Stop } from '../../patience.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { ChoiceFloor } from '../bound/floor.ts'
import { layoutFloor, layoutShortBytes } from '../bound/layout-floor.ts'
import { gainsAmong } from '../memory-policy/gains.ts'
import { firstOf, type PlacedTogether } from '../stages/placed-costs.ts'
import { leaner, nearing, type StageCuts, walkCuts } from '../stages/stage-cuts.ts'
import type { StageNumbers } from '../stages/stage-numbers.ts'
import type { Counts } from '../tally.ts'
import type { Accepts, AcceptsPlan, Candidate, Layout, Misfit, OpenLayout } from './candidate.ts'
import type { Microbatching } from './choices.ts'
import { keepBest } from './keep-best.ts'

export interface Workbench {
  readonly model: CostModel
  readonly scale: Scale
  readonly scratch: StepScratch
  /** What may be listed; null when everything may. */
  readonly accepts: Accepts | null
  /** Asked before each layout. */
  readonly stop: Stop
}

/** Restricts which of a mesh's choices are looked at; what is absent is not restricted. */
export interface Choices {
  readonly zeroStages?: readonly ZeroStage[]
  readonly microbatchings?: readonly Microbatching[]
  readonly schedules?: (microbatches: number) => readonly Schedule[]
  /** The mix to use, in place of those that would be searched. */
  readonly mix?: (layout: Layout) => Mix
  /** Costs also what does not fit. */
  readonly overBudget?: boolean
  readonly placements?: readonly Placement[]
  /** Layers of each stage, in place of the cuts that would be searched. */
  readonly stageLayers?: readonly number[]
  /** A floor under the layouts of each ZeRO stage and number of microbatches. */
  readonly floor?: ChoiceFloor
  /** Called with the best plan of every layout; then no layout is dropped because another of the mesh is better. */
  readonly each?: (best: Candidate) => void
  /** Whether to look for the leanest of the layouts that do not fit; absent means yes. */
  readonly nearest?: boolean
}

export interface Expansion extends Counts {
  best: Candidate | null
  nearest: Misfit | null
}

/** Named one by one: a spread that names are added to takes a microsecond for each of them. */
function cutInto(
  { cluster, mesh, zeroStage, contextLayout, microbatches, sequences, schedule }: OpenLayout,
  stageLayers: Layout['stageLayers'],
  groups: Layout['groups'],
): Layout {
  return {
    ...{ cluster, mesh, zeroStage, contextLayout, microbatches, sequences, schedule },
    ...{ stageLayers, groups },
  }
}

type Outcome = 'evaluated' | 'pruned' | 'memory' | 'constraint'

/** A mesh while it is searched: with what, what of it is wanted, and what was found so far. */
export interface Visit {
  readonly bench: Workbench
  readonly mesh: Mesh
  /** Nothing that scores worse is wanted. */
  readonly limit: number
  readonly choices: Choices
  readonly found: Expansion
}

/** The worst score that is still useful, given what is already found. */
export function mostOf({ limit, found }: Visit): number {
  return Math.min(limit, found.best?.score ?? limit)
}

/** A layout counts as evaluated if any of its cuts is, and as not fitting if none is. */
export function consider(visit: Visit, open: OpenLayout, cuts: StageCuts, numbers: StageNumbers): void {
  const { bench, choices, found } = visit
  if (cuts.kind === 'unlike') {
    if (layoutFloor(bench.model, open, numbers, bench.scratch) > mostOf(visit)) {
      found.pruned++
      return
    }
    const { nearest } = found
    const over = Math.max(0, nearest?.shortBytes ?? 0)
    if (nearest && !choices.mix && layoutShortBytes(bench.model, open, numbers.memory) > over) {
      found.memory++
      return
    }
  }
  const outcomes = new Set<Outcome>()
  walkCuts(cuts, (cut) => {
    if (cut.floor > mostOf(visit)) {
      outcomes.add('pruned')
      return { fewer: false, more: false }
    }
    // Where only what fits is of interest, what no framework runs needs no times.
    if (choices.nearest === false && bench.accepts?.cut(cut) === false) {
      outcomes.add('constraint')
      return { fewer: true, more: true }
    }
    const layout = cutInto(open, cut.stageLayers, cut.groups())
    const outcome = considerCut(visit, layout, numbers)
    outcomes.add(outcome)
    if (outcome !== 'memory') return { fewer: true, more: true }
    const { problem } = bench.model
    if (choices.nearest === false || choices.mix) return leaner(cuts, cut, numbers.memory, problem)
    return nearing(cuts, cut, numbers.memory, problem.memoryBudget, overNearest(visit))
  })
  if (outcomes.has('evaluated')) found.evaluated++
  else if (outcomes.has('pruned')) found.pruned++
  else if (outcomes.has('constraint')) found.constraint++
  else found.memory++
}

function considerCut(
  visit: Visit,
  layout: Layout,
  { update, compute, memory, places, traffics }: StageNumbers,
): Outcome {
  const { bench, choices } = visit
  const { model, scratch, accepts } = bench
  const { memoryBudget, assumptions } = model.problem
  const { groups, schedule, microbatches } = layout
  const { best: bestTraffics, under } = traffics(schedule, microbatches)
  const layers: Layers = { groups, schedule, microbatches, update: update(groups) }
  const stepOf = (traffic: TrafficNumbers): Step => ({ model, compute, traffic, layers, scratch })
  const hoped = bestTraffics.map(stepOf)
  // No policy does less than the one that keeps everything, whether that fits or not.
  if (memory.least >= 0 && mostOf(visit) < Number.POSITIVE_INFINITY) {
    const keepAll: Mix = { policy: memory.least, other: memory.least, count: 0 }
    if (hoped.every((step) => stepTime(step, keepAll, 'expected') > mostOf(visit))) return 'pruned'
  }
  const given = choices.mix?.(layout)
  const fits = (mix: Mix) => choices.overBudget || shortBytes(memory, groups, mix, memoryBudget) <= 0
  const mayGain = gainsAmong(model.policies, accepts?.mixes)
  const fitting = (others: boolean) =>
    given
      ? [given].filter(fits)
      : fittingMixes(memory, groups, memoryBudget, assumptions.tokensDivideFreely, { others, mayGain })
  const over = overNearest(visit)
  if (!given && leastShortBytes(memory, groups, memoryBudget, over) > over) return 'memory'
  const mixes = fitting(false)
  if (mixes.length === 0) {
    if (choices.nearest !== false) keepNearest(visit, layout, memory, given)
    return 'memory'
  }
  // Without a limit every mix has hope, and no time has to be known before somebody runs it.
  const hopes = (among: readonly Mix[]) =>
    mostOf(visit) === Number.POSITIVE_INFINITY
      ? among
      : among.filter((mix) => hoped.some((step) => stepTime(step, mix, 'expected') <= mostOf(visit)))
  const quickest = hopes(mixes)
  if (quickest.length === 0) return 'pruned'
  const plans = accepts ? accepts.plans(layout) : anyPlan
  if (!plans) return 'constraint'
  const ways = places.ways()
  const among = acceptedMixes(plans, layout, ways, {
    given: given !== undefined,
    mixed: accepts?.mixes ?? (() => false),
  })
  const asIs = among(quickest)
  // When the quickest mix is refused, one that does more may be the best of those that are not.
  const refused = asIs.some((accepted) => accepted.length < quickest.length)
  const byWay = refused ? among(hopes(fitting(true))) : asIs
  if (byWay.every((accepted) => accepted.length === 0)) return 'constraint'
  const placed = ways.map((way, at) =>
    keepBest(visit, layout, way, byWay[at] ?? [], (costs) => stepOf(under(costs))),
  )
  return placed.includes(true) ? 'evaluated' : 'pruned'
}

/**
 * A cut that is over the budget by more than another was, but for rounding, need not be known better: it does not fit. Where only what fits is
 * of interest, that is any.
 */
function overNearest({ bench, choices, found }: Visit): number {
  const { memoryBudget } = bench.model.problem
  const short = choices.nearest === false ? 0 : (found.nearest?.shortBytes ?? Number.POSITIVE_INFINITY)
  return Math.max(0, short) + 1e-9 * memoryBudget
}

/** Keeps a layout that does not fit where it is nearer to fitting than those before. */
function keepNearest({ bench, found }: Visit, layout: Layout, memory: MemoryNumbers, given?: Mix): void {
  const { memoryBudget } = bench.model.problem
  const leanest = given
    ? { ...layout, mix: given, shortBytes: shortBytes(memory, layout.groups, given, memoryBudget) }
    : leanestMix(memory, layout, memoryBudget)
  if (!found.nearest || leanest.shortBytes < found.nearest.shortBytes) found.nearest = leanest
}

/**
 * The mixes that may be listed, by way to launch a placement. Where a mix with so few layers of the leaner policy may not be listed, takes
 * the fewest that may: each further layer is more work, and less memory. A mix that is given stays as it is.
 */
function acceptedMixes(
  plans: AcceptsPlan,
  { groups }: Layout,
  ways: readonly PlacedTogether[],
  { given, mixed }: { readonly given: boolean; readonly mixed: Accepts['mixes'] },
): (mixes: readonly Mix[]) => readonly (readonly Mix[])[] {
  const most = groups.reduce((layers, group) => Math.max(layers, group.layers), 0)
  return (mixes) =>
    ways.map((way) => {
      const placement = firstOf(way)
      if (!placement) return []
      return mixes.flatMap((mix) => {
        if (given || mix.count === 0 || plans === anyPlan) return plans(placement, mix) ? [mix] : []
        if (!mixed(mix)) return []
        for (let { count } = mix; count < most; count++) {
          const more = { ...mix, count }
          if (plans(placement, more)) return [more]
        }
        return []
      })
    })
}

const anyPlan: AcceptsPlan = () => true

export function leanestMix(memory: MemoryNumbers, layout: Layout, budget: number): Misfit {
  const alone = memory.kept.map((_, policy): Misfit => {
    const mix: Mix = { policy, other: policy, count: 0 }
    return { ...layout, mix, shortBytes: shortBytes(memory, layout.groups, mix, budget) }
  })
  return alone.reduce((least, misfit) => (misfit.shortBytes < least.shortBytes ? misfit : least))
}
