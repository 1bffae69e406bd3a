/** Inference in one page: a problem in, ranked plans of a phase out. */
import type { Solver } from '../solvers/linear-program.ts'
import { compact } from './compact.ts'
import { satisfies } from './constraint.ts'
import type { Cluster } from './hardware/cluster/cluster.ts'
import { leanestCandidate } from './inference/layout/leanest.ts'
import { type InferenceModel, inferenceModel, inferenceOn } from './inference/model.ts'
import type { InferenceCandidate } from './inference/phase.ts'
import { anyCandidate, searchPhase, type Wanted } from './inference/search.ts'
import { type OnPart, searchPhaseParts } from './inference/search-parts.ts'
import { floorSeconds } from './inference/time/floor.ts'
import { rememberedOf } from './known.ts'
import { servable, servableOn } from './launch/servable.ts'
import { draftsAsked } from './launch/server/drafts.ts'
import { serversOf, servingRefusals } from './launch/serving.ts'
import type { PhaseWorkload } from './modes/phase-row.ts'
import { phaseOf, positionsOf, rowOf } from './modes/phases.ts'
import { endless, type Patience, type Stop, shares } from './patience.ts'
import type { Unlaunchable } from './plan/answer.ts'
import { answered } from './plan/answered.ts'
import { assembled } from './plan/assembled.ts'
import { phasePreferences } from './plan/certainty/preferences.ts'
import { preferredOf } from './plan/certainty/preferred.ts'
import { compared, onMeshes } from './plan/certainty/ties.ts'
import { wholeBeside } from './plan/explain/idle-chips.ts'
import { assembleInference } from './plan/inference/assemble.ts'
import { inferenceNoPlan } from './plan/inference/no-plan.ts'
import { paretoPoint } from './plan/inference/pareto-point.ts'
import { inferenceSensitivity } from './plan/inference/sensitivity.ts'
import { inferenceWarnings } from './plan/inference/warnings.ts'
import type { InferenceAnswer, InferenceNoPlan, InferencePlan } from './plan/inference-plan.ts'
import { worthTelling } from './plan/worth-telling.ts'
import type { InferenceProblem, PhaseProblem } from './problem.ts'
import { unitMesh } from './sharding/axis.ts'

/** Exact when there is no time limit; else the best so far, as in training (optimize.ts). */
export function infer(problem: PhaseProblem, solver: Solver, patience: Patience = endless): InferenceAnswer {
  const row = rowOf(problem.workload)
  const servableThere = servableOn(problem)
  const onPart: OnPart = { phaseOf, servable: ({ cluster }) => servableThere(cluster) }
  const model = inferenceModel(problem, onPart.servable(problem))
  const phase = phaseOf(model, problem, patience(shares.meshes))
  const stop = patience(row.frontier ? shares.listBeforeFrontier : shares.search)
  const late = patience(shares.floors)
  const result = searchPhaseParts(model, problem, onPart, { stop, late })
  const [best] = result.candidates
  const whole = { ...model, servable: null }
  const takesAll = satisfies(problem.cluster.chips, problem.constraints.chips)
  const better = takesAll && model.servable ? betterThan(best, whole, problem, stop) : null
  const modelOn = rememberedOf((cluster: Cluster) =>
    cluster === problem.cluster ? model : inferenceOn(model, { ...problem, cluster }),
  )
  const modelOf = ({ cluster }: InferenceCandidate) => modelOn(cluster)
  const planOf = (candidate: InferenceCandidate, rank: number) =>
    assembleInference(modelOf(candidate), phase, candidate, rank, solver)
  const frontier = best && row.frontier ? row.frontier(model, problem, patience(shares.frontier)) : null
  const answer = answered<PhaseProblem, InferenceCandidate, InferencePlan, InferenceNoPlan>(
    {
      ...{ problem, result, planOf },
      positions: phase.positions,
      secondsOf: ({ seconds }) => seconds,
      unlaunchable: () => better && unlaunchablePlan(problem, planOf(better, 0), better, best),
      assumed: serversOf(problem, problem.assumptions.frameworks),
      refused: result.infeasible.constraint - phase.meshes.constrained,
      // This bounds plans on all the chips, and so plans on any number of them.
      boundOf: ({ pass }) => (result.unexamined > 0 ? null : floorSeconds(problem, phase.work(pass))),
      sensitivityOf: (first) => inferenceSensitivity(modelOf(first), first),
      answerOn: (fewer) => infer(fewer, solver, patience),
      reasons: (until) => {
        const leanest =
          leanestCandidate(phase, {}, patience(shares.frontier)) ??
          leanestCandidate(phaseOf(whole, problem), {}, patience(shares.frontier))
        const fastest =
          row.unhurried && bestOf(model, row.unhurried(problem), { stop: patience(shares.plans) })
        return inferenceNoPlan(problem, {
          result,
          meshes: phase.meshes,
          nearest: leanest && planOf(leanest, 0),
          fastest: fastest && planOf(fastest, 0),
          work: phase.work(phase.leastPass(unitMesh)),
          anyPlan: (other) => anyPlan(other, until),
        })
      },
      anyPlan,
      warnings: (first) => inferenceWarnings(problem, first),
    },
    patience,
  )
  const scores = result.candidates.map(({ score }) => score)
  const plans = compared(
    answer.plans,
    onMeshes(problem.residuals?.differences, 'inference', ({ rank }) => scores[rank - 1] ?? Number.NaN),
  )
  const preferred = preferredOf(plans, phasePreferences(problem.cluster.chip), problem.top)
  const listed = { ...answer, plans, preferred, warnings: compact(wholeBeside(plans), answer.warnings) }
  if (!frontier) return listed
  const pareto = assembled(
    frontier.candidates,
    (candidate) => paretoPoint(model, phase, candidate),
    patience(shares.suggestions),
  )
  const cut = frontier.unexamined > 0 || pareto.length < frontier.candidates.length
  const { search, warnings } = listed
  return {
    ...listed,
    pareto,
    search: { ...search, exact: search.exact && !cut },
    warnings: compact(cut && cutFrontier, warnings),
  }
}

function bestOf(
  model: InferenceModel,
  problem: InferenceProblem<PhaseWorkload>,
  wanted: Wanted,
): InferenceCandidate | null {
  return searchPhase(phaseOf(model, problem), 1, wanted).candidates[0] ?? null
}

/** The best plan of all, where no launchable one is as good: a second search, bounded by the score of the first. */
function betterThan(
  first: InferenceCandidate | undefined,
  model: InferenceModel,
  problem: PhaseProblem,
  stop: Stop,
): InferenceCandidate | null {
  const best = bestOf(model, problem, { stop, ...(first ? { most: first.score } : {}) })
  return best && !(first && first.score <= best.score * (1 + worthTelling)) ? best : null
}

function unlaunchablePlan(
  problem: PhaseProblem,
  plan: InferencePlan,
  candidate: InferenceCandidate,
  first: InferenceCandidate | undefined,
): Unlaunchable<InferencePlan> {
  const drafts = draftsAsked(problem)
  const counted = { contextLength: positionsOf(problem), memory: plan.memoryBytes, drafts }
  return {
    plan,
    advantage: first ? first.score / candidate.score : null,
    reasons: servingRefusals(problem, candidate, problem.workload.mode, counted),
  }
}

function anyPlan(other: PhaseProblem, stop: Stop): boolean {
  if (stop()) return false
  const compiled = inferenceModel(other, servable(other))
  return anyCandidate(phaseOf(compiled, other, stop), stop)
}

const cutFrontier =
  'there was no time for all batches and meshes of the frontier: points may be missing or beaten; raise timeoutMs'
