/**
 * Why nothing fits, what comes nearest, and the smallest changes with which something fits: each suggestion has been
 * tried alone, and a plan exists with it.
 */
import { compact } from '../../compact.ts'
import { never, type Stop } from '../../patience.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import { optimizerRows } from '../../recipe/optimizer.ts'
import { trainedMeshRules } from '../../rules/model.ts'
import type { PlanFault } from '../../rules/part-rule.ts'
import { trainedQuestion } from '../../search/meshes/meshes.ts'
import type { SearchResult } from '../../search/search-result.ts'
import type { NoPlan, Short, Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'
import { anythingListed } from './anything-listed.ts'
import { constraintSuggestions } from './constraint-suggestions.ts'
import { lossChunksSuggestion } from './loss-chunks.ts'
import { pinnedAxes, pinnedSuggestions, withPinned } from './pinned-reason.ts'
import { countedReasons, excluded, indivisible, memoryText, shortOf } from './reason-texts.ts'
import { budgetSuggestion, chipsSuggestion, mostThatFits } from './resource-suggestions.ts'
import { smallerSliceSuggestion } from './smaller-slice.ts'
import { stateSuggestions } from './state-suggestions.ts'

/** Suggestions that there is no time to try are left out. */
export function noPlan(
  problem: Problem,
  result: SearchResult,
  nearest: Plan | null,
  stop: Stop = never,
): NoPlan {
  const listed: AnyPlan = (changed) => anythingListed(problem, changed, stop)
  const short = shortOf(nearest)
  const faults = pinned(problem)
  return {
    reasons: withPinned(reasons(problem, result, short), faults, problem.cluster.chips),
    nearest: short,
    suggestions: compact(
      budgetSuggestion(problem, nearest, (memoryBudget) => listed({ ...problem, memoryBudget })),
      lossChunksSuggestion(problem, listed),
      chipsSuggestion(problem, (cluster) => listed({ ...problem, cluster })),
      smallerSliceSuggestion(problem, (cluster) => listed({ ...problem, cluster })),
      batchSuggestion(problem, listed),
      stateSuggestions(problem, listed),
      optimizerSuggestion(problem, listed),
      pinnedSuggestions(problem, faults, listed),
      constraintSuggestions(problem, listed),
    ),
  }
}

function pinned(problem: Problem): readonly PlanFault[] {
  return pinnedAxes(problem, trainedMeshRules, trainedQuestion(problem), problem.assumptions.searchTensor2)
}

/** Whether a changed problem would have a plan, as far as there is time to find out. */
type AnyPlan = (problem: Problem) => boolean

function reasons(
  problem: Problem,
  { infeasible }: SearchResult,
  nearest: Short<Plan> | null,
): NoPlan['reasons'] {
  const { cluster, workload, constraints } = problem
  return countedReasons(infeasible, {
    memory: memoryText(problem, nearest),
    divisibility: indivisible(cluster.chips, `the ${workload.batchTokens} tokens of the batch`),
    constraint: excluded('layouts', unsearched, constraints),
  })
}

const unsearched =
  'a second tensor axis: searchTensor2; ZeRO stages: zeroStages, shardedPipelines; plans that none of the frameworks can launch'

export function batchSuggestion(problem: Problem, anyPlan: (problem: Problem) => boolean): Suggestion | null {
  const { workload } = problem
  const sequences = wholeSequences(workload)
  const tokens = (count: number) => count * workload.sequenceLength
  const fewer = mostThatFits(sequences, (count) =>
    anyPlan({ ...problem, workload: { ...workload, batchTokens: tokens(count) } }),
  )
  if (fewer === null) return null
  return {
    change: 'a smaller batch',
    pointer: '/workload/batchTokens',
    value: tokens(fewer),
    detail: `${counted(fewer, 'sequence')} of ${workload.sequenceLength} instead of ${sequences}`,
  }
}

export function optimizerSuggestion(
  problem: Problem,
  anyPlan: (problem: Problem) => boolean,
): readonly Suggestion[] {
  const { workload } = problem
  return optimizerRows.flatMap(({ name, smaller }) => {
    if (smaller === null || name === workload.optimizer) return []
    if (!anyPlan({ ...problem, workload: { ...workload, optimizer: name } })) return []
    const change = 'an optimizer with smaller states'
    return [{ change, pointer: '/workload/optimizer', value: name, detail: smaller }]
  })
}
