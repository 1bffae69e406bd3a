/**
 * Why nothing fits, what comes nearest, and the smallest changes with which something fits: each suggestion has been
 * tried alone, and a plan exists with it.
 */
import { never, type Stop } from '../../patience.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import { elementBytes, usualType } from '../../recipe/element-type.ts'
import { optimizerRows } from '../../recipe/optimizer.ts'
import { trainedMeshRules } from '../../rules/model.ts'
import type { PlanFault } from '../../rules/part-rule.ts'
import { pinnedFaults } from '../../rules/pinned.ts'
import { trainedQuestion } from '../../search/meshes/meshes.ts'
import type { SearchResult } from '../../search/search-result.ts'
import type { NoPlan, Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'
import { anythingListed } from './anything-listed.ts'
import { constraintSuggestions } from './constraint-suggestions.ts'
import { lossChunksSuggestion } from './loss-chunks.ts'
import { pinnedSuggestions, withPinned } from './pinned-reason.ts'
import { countedReasons, excluded, indivisible, memoryText } from './reason-texts.ts'
import { budgetSuggestion, chipsSuggestion, mostThatFits } from './resource-suggestions.ts'

/** Suggestions that there is no time to try are left out. */
export function noPlan(
  problem: Problem,
  result: SearchResult,
  nearest: Plan | null,
  stop: Stop = never,
): NoPlan {
  const listed: AnyPlan = (changed) => anythingListed(problem, changed, stop)
  const shortBytes = nearest?.infeasible?.[0]?.shortBytes ?? 0
  return {
    reasons: reasons(problem, result, nearest, shortBytes),
    nearest: nearest ? { plan: nearest, shortBytes } : null,
    suggestions: [
      ...budgetSuggestion(problem, nearest, (memoryBudget) => listed({ ...problem, memoryBudget })),
      ...lossChunksSuggestion(problem, listed),
      ...chipsSuggestion(problem, (cluster) => listed({ ...problem, cluster })),
      ...batchSuggestion(problem, listed),
      ...gradientSuggestion(problem, listed),
      ...optimizerSuggestion(problem, listed),
      ...pinnedSuggestions(problem, pinned(problem), listed),
      ...constraintSuggestions(problem, listed),
    ],
  }
}

function pinned(problem: Problem): readonly PlanFault[] {
  const { assumptions, cluster, constraints } = problem
  const open = assumptions.searchTensor2 && constraints.tensor2 === undefined ? (['tensor2'] as const) : []
  return pinnedFaults(trainedMeshRules, trainedQuestion(problem), constraints, cluster.chips, open)
}

/** Whether a changed problem would have a plan, as far as there is time to find out. */
type AnyPlan = (problem: Problem) => boolean

function reasons(
  problem: Problem,
  { infeasible }: SearchResult,
  nearest: Plan | null,
  shortBytes: number,
): NoPlan['reasons'] {
  const { cluster, workload, constraints } = problem
  const told = countedReasons(infeasible, {
    memory: memoryText(problem, nearest, shortBytes),
    divisibility: indivisible(cluster.chips, `the ${workload.batchTokens} tokens of the batch`),
    constraint: excluded('layouts', unsearched, constraints),
  })
  return withPinned(told, pinned(problem), cluster.chips)
}

const unsearched =
  'a second tensor axis: searchTensor2; ZeRO stages: zeroStages, shardedPipelines; plans that none of the frameworks can launch'

export function batchSuggestion(
  problem: Problem,
  anyPlan: (problem: Problem) => boolean,
): readonly Suggestion[] {
  const { workload } = problem
  const sequences = wholeSequences(workload)
  const tokens = (count: number) => count * workload.sequenceLength
  const fewer = mostThatFits(sequences, (count) =>
    anyPlan({ ...problem, workload: { ...workload, batchTokens: tokens(count) } }),
  )
  if (fewer === null) return []
  return [
    {
      change: 'a smaller batch',
      pointer: '/workload/batchTokens',
      value: tokens(fewer),
      detail: `${counted(fewer, 'sequence')} of ${workload.sequenceLength} instead of ${sequences}`,
    },
  ]
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

/** Gradients are kept in fp32 or in 16 bits by what trains in bf16, whichever it is told. */
function gradientSuggestion(problem: Problem, anyPlan: AnyPlan): readonly Suggestion[] {
  const { precision } = problem
  if (elementBytes[precision.gradients] <= elementBytes[usualType]) return []
  if (!anyPlan({ ...problem, precision: { ...precision, gradients: usualType } })) return []
  const detail =
    'half of their memory, and of what their reduction sends; sums over many microbatches are less exact'
  return [{ change: `gradients in ${usualType}`, pointer: '/precision/gradients', value: usualType, detail }]
}
