/** Evaluates a written training plan. If it does not fit, suggests changes, each evaluated as far as time allows. */
import { evaluate } from '../evaluate.ts'
import type { Suggestion } from '../plan/answer.ts'
import { lossChunksSuggestion } from '../plan/no-plan/loss-chunks.ts'
import { batchSuggestion, optimizerSuggestion } from '../plan/no-plan/no-plan.ts'
import { budgetSuggestion, largerThatFits, moreChips } from '../plan/no-plan/resource-suggestions.ts'
import type { Plan } from '../plan/plan.ts'
import type { PlanSketch, Problem } from '../problem.ts'
import { choiceFields, chosenAlone, dropped, without } from './choices.ts'
import { type Asked, changesOf, remedied } from './remedied.ts'

export const evaluateRemedied = remedied(evaluate, suggestionsFor)

export const trainingChanges = changesOf(evaluate, chosenAlone)

type AskedTraining = Asked<Problem, PlanSketch, Plan>

function suggestionsFor(asked: AskedTraining, plan: Plan): readonly Suggestion[] {
  const { problem, sketch, fitting } = asked
  const anyPlan = (other: Problem) => fitting(other, sketch) !== null
  const others = reopened(asked)
  // If other choices on the same mesh make it fit, suggestions of another mesh keep everything else that the plan says.
  const ways: Ways = others.length > 0 ? [] : [choices]
  return [
    ...budgetSuggestion(problem, plan, (memoryBudget) => anyPlan({ ...problem, memoryBudget })),
    ...others,
    ...shardedStates(asked, ways),
    ...lossChunksSuggestion(problem, anyPlan),
    ...moreReplicas(asked, ways),
    ...batchSuggestion(problem, anyPlan),
    ...optimizerSuggestion(problem, anyPlan),
  ]
}

type Ways = readonly (readonly (keyof PlanSketch)[])[]

function reopened(asked: AskedTraining): readonly Suggestion[] {
  const single = chosenAlone(asked).map(({ change, text, changes: [first, ...also] }) => ({
    ...{ change, ...first, detail: `${text} would be chosen, which fits` },
    ...(also.length > 0 ? { also } : {}),
  }))
  return single.length > 0 ? single : meshAlone(asked)
}

/** All fields but the mesh, which may be left for the search to choose. */
const choices = ['contextLayout', 'placement', ...choiceFields] as const

function meshAlone({ problem, sketch, fitting }: AskedTraining): readonly Suggestion[] {
  const [first, ...others] = choices.filter((field) => sketch[field] !== undefined)
  const chosen = first && others.length > 0 ? fitting(problem, { mesh: sketch.mesh }) : null
  if (!chosen) return []
  return [
    {
      change: 'only the mesh, with the rest chosen',
      pointer: `/plan/${first}`,
      value: null,
      detail: `"${chosen.summary}" would be chosen, which fits`,
      ...dropped(sketch, others),
    },
  ]
}

/** The first of `ways` (lists of fields to drop from the plan) with which the plan fits on another mesh; null if none does. */
function onMesh(
  { problem, sketch, fitting }: AskedTraining,
  mesh: PlanSketch['mesh'],
  ways: Ways,
): Ways[number] | null {
  return ways.find((gone) => fitting(problem, { ...without(sketch, gone), mesh })) ?? null
}

/** Turns replicas of whole states into shards: ZeRO-3. */
function shardedStates(asked: AskedTraining, ways: Ways): readonly Suggestion[] {
  const { sketch } = asked
  const { mesh } = sketch
  if (mesh.data === 1) return []
  const sharded = { ...mesh, data: 1, fsdp: mesh.fsdp * mesh.data }
  const gone = onMesh(asked, sharded, [['zeroStage', 'placement'], ...ways])
  if (!gone) return []
  return [
    {
      change: 'fsdp instead of data',
      pointer: '/plan/mesh',
      value: sharded,
      detail: `weights, gradients and optimizer states are sharded over ${sharded.fsdp} chips instead of whole on each replica (ZeRO-3)`,
      ...dropped(sketch, gone),
    },
  ]
}

/** Uses a multiple of the chips, on fsdp, or on data if the plan has only that. */
function moreReplicas(asked: AskedTraining, ways: Ways): readonly Suggestion[] {
  const { problem, sketch } = asked
  const { mesh } = sketch
  const axis = mesh.fsdp > 1 || mesh.data === 1 ? 'fsdp' : 'data'
  const onto = (chips: number) => (mesh[axis] * chips) / problem.cluster.chips
  const fields = ['placement', 'microbatches', 'microbatchTokens'] as const
  const gone = (cluster: Problem['cluster']) =>
    cluster.chips % problem.cluster.chips === 0
      ? onMesh({ ...asked, problem: { ...problem, cluster } }, { ...mesh, [axis]: onto(cluster.chips) }, [
          fields,
          ...ways,
        ])
      : null
  const found = largerThatFits(problem, (cluster) => gone(cluster) !== null)
  if (!found) return []
  const { also = [] } = dropped(sketch, gone(found.cluster) ?? [])
  const size = { pointer: `/plan/mesh/${axis}`, value: onto(found.cluster.chips) }
  return [{ ...moreChips(found), also: [size, ...also] }]
}
