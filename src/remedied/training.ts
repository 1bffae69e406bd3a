/** Evaluates a written training plan. If it does not fit, suggests changes, each evaluated as far as time allows. */
import { compact } from '../compact.ts'
import { evaluate } from '../evaluate.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import type { Suggestion } from '../plan/answer.ts'
import { counted } from '../plan/explain/figures.ts'
import { lossChunksSuggestion } from '../plan/no-plan/loss-chunks.ts'
import { batchSuggestion, optimizerSuggestion } from '../plan/no-plan/no-plan.ts'
import { budgetSuggestion, largerThatFits, moreChips } from '../plan/no-plan/resource-suggestions.ts'
import { stateSuggestions } from '../plan/no-plan/state-suggestions.ts'
import type { Plan } from '../plan/plan.ts'
import type { PlanSketch } from '../plan-sketch.ts'
import type { Problem } from '../problem.ts'
import { meshSize } from '../sharding/axis.ts'
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
  return compact(
    budgetSuggestion(problem, plan, (memoryBudget) => anyPlan({ ...problem, memoryBudget })),
    others,
    shardedStates(asked, ways),
    lossChunksSuggestion(problem, anyPlan),
    moreReplicas(asked, ways),
    batchSuggestion(problem, anyPlan),
    stateSuggestions(problem, anyPlan),
    optimizerSuggestion(problem, anyPlan),
  )
}

type Ways = readonly (readonly (keyof PlanSketch)[])[]

function reopened(asked: AskedTraining): readonly Suggestion[] {
  const single = chosenAlone(asked).map(({ change, text, changes: [first, ...also] }) => ({
    ...{ change, ...first, detail: `${text} would be chosen, which fits` },
    ...(also.length > 0 ? { also } : {}),
  }))
  return single.length > 0 ? single : compact(meshAlone(asked))
}

/** All fields but the mesh, which may be left for the search to choose. */
const choices = ['contextLayout', 'placement', ...choiceFields] as const

function meshAlone({ problem, sketch, fitting }: AskedTraining): Suggestion | null {
  const [first, ...others] = choices.filter((field) => sketch[field] !== undefined)
  const chosen = first && others.length > 0 ? fitting(problem, { mesh: sketch.mesh }) : null
  if (!chosen) return null
  return {
    change: 'only the mesh, with the rest chosen',
    pointer: `/plan/${first}`,
    value: null,
    detail: `"${chosen.summary}" would be chosen, which fits`,
    ...dropped(sketch, others),
  }
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
function shardedStates(asked: AskedTraining, ways: Ways): Suggestion | null {
  const { sketch } = asked
  const { mesh } = sketch
  if (mesh.data === 1) return null
  const sharded = { ...mesh, data: 1, fsdp: mesh.fsdp * mesh.data }
  const gone = onMesh(asked, sharded, [['zeroStage', 'placement'], ...ways])
  if (!gone) return null
  return {
    change: 'fsdp instead of data',
    pointer: '/plan/mesh',
    value: sharded,
    detail: `weights, gradients and optimizer states are sharded over ${sharded.fsdp} chips instead of whole on each replica (ZeRO-3)`,
    ...dropped(sketch, gone),
  }
}

/** The plan again on a multiple of its chips: of those that there are, or else of more. */
function moreReplicas(asked: AskedTraining, ways: Ways): Suggestion | null {
  return onIdleChips(asked, ways) ?? onMoreChips(asked, ways)
}

const replicaFields = ['placement', 'microbatches', 'microbatchTokens'] as const

/** The axis that the plan has already comes first; what has stages cannot be on fsdp, and whole states are sharded by that alone. */
function replicaAxes({ data, fsdp }: PlanSketch['mesh']): readonly ('data' | 'fsdp')[] {
  return fsdp > 1 || data === 1 ? ['fsdp', 'data'] : ['data', 'fsdp']
}

/** On as many of the chips that would stand idle as it takes or, best, on all of them. */
function onIdleChips(asked: AskedTraining, ways: Ways): Suggestion | null {
  const { problem, sketch } = asked
  const { mesh } = sketch
  const { chips } = problem.cluster
  const size = meshSize(mesh)
  for (const factor of timesThatMayFit(Math.floor(chips / size))) {
    for (const axis of replicaAxes(mesh)) {
      const larger = { ...mesh, [axis]: mesh[axis] * factor }
      const gone = onMesh(asked, larger, [replicaFields, ...ways])
      if (!gone) continue
      return {
        change: 'the chips that stand idle',
        pointer: `/plan/mesh/${axis}`,
        value: larger[axis],
        detail: `the plan has ${size} of ${counted(chips, 'chip')}; with ${axis} ${larger[axis]} it has ${size * factor} and fits`,
        ...dropped(sketch, gone),
      }
    }
  }
  return null
}

/** Multiples to try, most first: what divides all chips that there are, and powers of two, which batches are multiples of. */
function timesThatMayFit(most: number): readonly number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(Math.max(1, most))) }, (_, at) => 2 ** (at + 1))
  const factors = new Set([...divisorsOf(most), ...powers])
  return [...factors].filter((factor) => factor > 1).sort((a, b) => b - a)
}

/** On the fewest chips of those that its mesh divides, all of which it takes. */
function onMoreChips(asked: AskedTraining, ways: Ways): Suggestion | null {
  const { problem, sketch } = asked
  const { mesh } = sketch
  const size = meshSize(mesh)
  for (const axis of replicaAxes(mesh)) {
    const onto = ({ chips }: Problem['cluster']) => (mesh[axis] * chips) / size
    const gone = (cluster: Problem['cluster']) =>
      cluster.chips % size === 0
        ? onMesh({ ...asked, problem: { ...problem, cluster } }, { ...mesh, [axis]: onto(cluster) }, [
            replicaFields,
            ...ways,
          ])
        : null
    const found = largerThatFits(problem, (cluster) => gone(cluster) !== null)
    if (!found) continue
    const { also = [] } = dropped(sketch, gone(found.cluster) ?? [])
    const own = { pointer: `/plan/mesh/${axis}`, value: onto(found.cluster) }
    return { ...moreChips(found), also: [own, ...also] }
  }
  return null
}
