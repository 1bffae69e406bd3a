/**
 * Why a phase has no plan: memory, or a time limit that a single term may already exceed. Each suggestion has been
 * tried, and a plan exists with it.
 */
import { compact } from '../../compact.ts'
import { peakFlops } from '../../cost/compute/compute.ts'
import { servedQuestion } from '../../inference/meshes.ts'
import { cacheBytes, floorSeconds, type Work, weightBytes, workFlops } from '../../inference/time/floor.ts'
import { rowOf } from '../../modes/phases.ts'
import type { PhaseProblem, Setting } from '../../problem.ts'
import { servedMeshRules } from '../../rules/model.ts'
import type { PlanFault } from '../../rules/part-rule.ts'
import type { Meshes } from '../../search/meshes/meshes.ts'
import type { Tally } from '../../search/tally.ts'
import type { Suggestion } from '../answer.ts'
import { bytesText, counted, secondsText } from '../explain/figures.ts'
import type { InferenceNoPlan, InferencePlan } from '../inference-plan.ts'
import { constraintSuggestions } from '../no-plan/constraint-suggestions.ts'
import { pinnedAxes, pinnedSuggestions, withPinned } from '../no-plan/pinned-reason.ts'
import { countedReasons, excluded, indivisible, memoryText, shortOf } from '../no-plan/reason-texts.ts'
import { budgetSuggestion, chipsSuggestion } from '../no-plan/resource-suggestions.ts'
import { fewerSequences, longerStep, narrowerTypes } from '../no-plan/served-suggestions.ts'

export interface NoPhase {
  readonly result: Pick<Tally, 'infeasible'>
  readonly meshes: Meshes
  /** The plan that needs the least memory, whether or not it fits. */
  readonly nearest: InferencePlan | null
  /** The fastest plan that fits, if only a time limit is in the way. */
  readonly fastest: InferencePlan | null
  readonly work: Work
  readonly anyPlan: (problem: PhaseProblem) => boolean
}

export function inferenceNoPlan(problem: PhaseProblem, none: NoPhase): InferenceNoPlan {
  const { nearest, fastest } = none
  const faults = pinned(problem)
  return {
    reasons: withPinned(reasons(problem, none), faults, problem.cluster.chips),
    nearest: shortOf(fastest ?? nearest),
    suggestions: compact(
      !fastest &&
        budgetSuggestion(problem, nearest, (memoryBudget) => none.anyPlan({ ...problem, memoryBudget })),
      chipsSuggestion(problem, (cluster) => none.anyPlan({ ...problem, cluster })),
      precisionSuggestions(problem, none.anyPlan),
      batchSuggestion(problem, none),
      limitSuggestion(problem, none),
      pinnedSuggestions(problem, faults, none.anyPlan),
      constraintSuggestions(problem, none.anyPlan),
    ),
  }
}

function reasons(
  problem: PhaseProblem,
  { result, nearest, fastest, meshes, work }: NoPhase,
): InferenceNoPlan['reasons'] {
  const { cluster, workload } = problem
  const limit = rowOf(workload).limitSeconds(workload)
  const { memory, topology } = result.infeasible
  const { constrained: constraint, indivisible: divisibility } = meshes
  return compact(
    limit !== undefined && latencyReasons(problem, work, limit, fastest),
    countedReasons(
      { memory: fastest ? 0 : memory, constraint, topology, divisibility },
      {
        memory: memoryText(problem, shortOf(nearest)),
        constraint: excluded('meshes', 'a second tensor axis: searchWeightLayouts', problem.constraints),
        divisibility: indivisible(cluster.chips, 'the batch'),
      },
    ),
  )
}

/** Axes that the request pins to sizes that no mesh of the phase can have. */
export function pinned(problem: PhaseProblem): readonly PlanFault[] {
  const { assumptions, workload } = problem
  const question = servedQuestion(problem, rowOf(workload).demand(workload))
  return pinnedAxes(problem, servedMeshRules, question, assumptions.searchWeightLayouts)
}

/** Each term that exceeds the limit on its own, at data-sheet speed; if none does, the plan that comes nearest to the limit. */
function latencyReasons(
  setting: Setting,
  work: Work,
  limit: number,
  fastest: InferencePlan | null,
): InferenceNoPlan['reasons'] {
  const { cluster, precision } = setting
  const { chip, chips } = cluster
  const hbm = chip.hbmBytesPerSecond * chips
  const weights = weightBytes(setting, work)
  const caches = cacheBytes(setting, work)
  const flops = workFlops(setting, work)
  const terms = [
    {
      seconds: weights / hbm,
      text: `reading ${bytesText(weights)} of weights once from the HBM of ${counted(chips, 'chip')}`,
    },
    {
      seconds: caches / hbm,
      text: `reading ${bytesText(caches)} of keys and values from the HBM of ${counted(chips, 'chip')}`,
    },
    {
      seconds: flops / (peakFlops(chip, precision.compute) * chips),
      text: `${flops.toExponential(2)} FLOPs at the peak of ${counted(chips, 'chip')}`,
    },
  ]
  const over = terms.filter(({ seconds }) => seconds > limit)
  const alone = over.map(({ seconds, text }) => ({
    reason: 'latency',
    detail: `${text} takes ${secondsText(seconds)}: alone over the limit of ${secondsText(limit)}`,
    layouts: 0,
  }))
  if (alone.length > 0) return alone
  const floor = floorSeconds(setting, work)
  const detail = fastest
    ? `the fastest layout takes ${secondsText(fastest.stepTimeSeconds)} (${fastest.bottleneck}-bound), over the limit of ${secondsText(limit)}; nothing on these chips is faster than ${secondsText(floor)}`
    : `nothing on these chips is faster than ${secondsText(floor)}; the limit is ${secondsText(limit)}`
  return [{ reason: 'latency', detail, layouts: fastest ? 1 : 0 }]
}

export function precisionSuggestions(
  problem: PhaseProblem,
  anyPlan: NoPhase['anyPlan'],
): readonly Suggestion[] {
  return narrowerTypes(problem, ['weights', 'kvCache'], (precision) =>
    anyPlan({ ...problem, precision }) ? 'a plan exists' : null,
  )
}

function batchSuggestion(problem: PhaseProblem, { anyPlan }: NoPhase): Suggestion | null {
  const { workload } = problem
  const asked = workload.batchSequences
  if (asked === 'max') return null
  return fewerSequences('/workload/batchSequences', asked, asked, (batchSequences) =>
    anyPlan({ ...problem, workload: { ...workload, batchSequences } } as PhaseProblem),
  )
}

function limitSuggestion(problem: PhaseProblem, { fastest, anyPlan }: NoPhase): Suggestion | null {
  const { workload } = problem
  if (!fastest || rowOf(workload).limitSeconds(workload) === undefined) return null
  const { stepTimeSeconds, summary } = fastest
  if (!anyPlan({ ...problem, workload: { ...workload, maxStepSeconds: stepTimeSeconds } } as PhaseProblem))
    return null
  return longerStep(stepTimeSeconds, `"${summary}" takes ${secondsText(stepTimeSeconds)}`)
}
