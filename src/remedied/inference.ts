/** Evaluates a written inference plan. If it does not fit or is too slow, suggests changes, each evaluated as far as time allows. */
import { compact } from '../compact.ts'
import { evaluateInference } from '../evaluate-inference.ts'
import { present } from '../fields.ts'
import { rowOf } from '../modes/phases.ts'
import type { Suggestion } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import { precisionSuggestions } from '../plan/inference/no-plan.ts'
import type { InferencePlan } from '../plan/inference-plan.ts'
import { budgetSuggestion, largerThatFits, moreChips } from '../plan/no-plan/resource-suggestions.ts'
import { fewerSequences, longerStep } from '../plan/no-plan/served-suggestions.ts'
import type { InferenceSketch } from '../plan-sketch.ts'
import type { PhaseProblem } from '../problem.ts'
import { dropped } from './choices.ts'
import { otherCaches } from './other-caches.ts'
import { type Asked, type Changed, changesOf, remedied } from './remedied.ts'
import { widerMesh } from './wider-mesh.ts'
import { withinShare } from './within-share.ts'

const evaluateShared = withinShare(evaluateInference)

export const evaluateInferenceRemedied = remedied(evaluateShared, suggestionsFor)

export const inferenceChanges = changesOf(evaluateShared, chosenLayouts)

type AskedPhase = Asked<PhaseProblem, InferenceSketch, InferencePlan>

function suggestionsFor(asked: AskedPhase, plan: InferencePlan): readonly Suggestion[] {
  const { problem, sketch, fitting } = asked
  const anyPlan = (other: PhaseProblem) => fitting(other, sketch) !== null
  return compact(
    otherCaches(asked, plan, ({ batchSequences }) => batchSequences),
    budgetSuggestion(problem, plan, (memoryBudget) => anyPlan({ ...problem, memoryBudget })),
    reopened(asked),
    precisionSuggestions(problem, anyPlan),
    widerMesh(asked),
    moreReplicas(asked),
    smallerBatch(asked, plan),
    laterStep(problem, plan, anyPlan),
  )
}

/** The plan with its layouts replaced by those that would be chosen. */
function chosenLayouts({ problem, sketch, fitting }: AskedPhase): readonly Changed<InferencePlan>[] {
  if (Object.keys(sketch.layout).length === 0) return []
  const plan = fitting(problem, { ...sketch, layout: {} })
  if (!plan) return []
  const { components } = plan.layout
  const text = Object.entries(components)
    .map(([component, name]) => `${component} ${name}`)
    .join(', ')
  const change = 'other layouts of the components'
  return [{ change, text, changes: [{ pointer: '/plan/layout', value: components }], plan }]
}

function reopened(asked: AskedPhase): readonly Suggestion[] {
  return chosenLayouts(asked).map(({ change, text, changes: [own] }) => ({
    ...{ change, ...own, detail: `${text} would be chosen, which fit` },
  }))
}

/** Uses a multiple of the chips, for more replicas. */
function moreReplicas({ problem, sketch, fitting }: AskedPhase): Suggestion | null {
  const { mesh, layout } = sketch
  const onto = (chips: number) => (mesh.data * chips) / problem.cluster.chips
  const found = largerThatFits(problem, (cluster) => {
    if (cluster.chips % problem.cluster.chips !== 0) return false
    const { batchSequences, stepTokens, cacheShare } = sketch
    const own = present({ batchSequences, stepTokens, cacheShare })
    const changed = { layout, mesh: { ...mesh, data: onto(cluster.chips) }, ...own }
    return fitting({ ...problem, cluster } as PhaseProblem, changed) !== null
  })
  if (!found) return null
  const { also = [] } = dropped(sketch, ['placement', 'microbatches', 'microbatchTokens'])
  const size = { pointer: '/plan/mesh/data', value: onto(found.cluster.chips) }
  return { ...moreChips(found), also: [size, ...also] }
}

/** Explains the limit: the plan counts every sequence that a server may take as running at its full length. */
const pagedCap =
  '; for a server with paged caches the number is only a cap, and fewer sequences run at once when the caches are full: set a smaller cap (--max-num-seqs of vLLM), or workload.meanContextLength if sequences are shorter'

/** In generation the plan's own batch counts, if it has one; in prefill it is that of the workload, which the plan can only repeat. */
function smallerBatch({ problem, sketch, fitting }: AskedPhase, plan: InferencePlan): Suggestion | null {
  const { workload } = problem
  const own = rowOf(workload).prompts(workload) === null && sketch.batchSequences !== undefined
  const asked = own ? sketch.batchSequences : workload.batchSequences
  if (asked === undefined || asked === 'max') return null
  const pointer = own ? '/plan/batchSequences' : '/workload/batchSequences'
  const fewer = fewerSequences(pointer, asked, plan.batchSequences, (batchSequences) => {
    const changed = { ...sketch, ...(sketch.batchSequences === undefined ? {} : { batchSequences }) }
    const other = { ...problem, workload: { ...workload, batchSequences } } as PhaseProblem
    return fitting(own ? problem : other, changed) !== null
  })
  if (!fewer) return null
  const twice = !own && sketch.batchSequences !== undefined
  const capped = rowOf(workload).prompts(workload) === null ? pagedCap : ''
  return {
    ...fewer,
    detail: `${fewer.detail}${capped}`,
    ...(twice ? { also: [{ pointer: '/plan/batchSequences', value: fewer.value }] } : {}),
  }
}

/** Relaxes the time limit, if that alone is in the way. */
function laterStep(
  problem: PhaseProblem,
  { stepTimeSeconds }: InferencePlan,
  anyPlan: (problem: PhaseProblem) => boolean,
): Suggestion | null {
  const { workload } = problem
  if (rowOf(workload).limitSeconds(workload) === undefined) return null
  const changed = { ...problem, workload: { ...workload, maxStepSeconds: stepTimeSeconds } } as PhaseProblem
  if (!anyPlan(changed)) return null
  return longerStep(stepTimeSeconds, `the plan takes ${secondsText(stepTimeSeconds)}`)
}
