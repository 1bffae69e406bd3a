/** Inference in one page: a problem in, ranked plans of a phase out. */
import type { Solver } from '../solvers/linear-program.ts'
import { leanestCandidate } from './inference/layout/leanest.ts'
import type { MeshesOf } from './inference/meshes.ts'
import { type InferenceModel, inferenceModel, inferenceOn } from './inference/model.ts'
import { anyCandidate, type InferenceCandidate, type Phase, searchPhase } from './inference/search.ts'
import { type PartsFound, searchPhaseParts } from './inference/search-parts.ts'
import { floorSeconds } from './inference/time/floor.ts'
import { servable, serversOf, servingRefusals } from './launch/serving.ts'
import { paretoCandidates } from './modes/generate/pareto.ts'
import { generationPhase } from './modes/generate/phase.ts'
import { prefillPhase } from './modes/prefill/phase.ts'
import { endless, never, type Patience, type Stop, shares } from './patience.ts'
import { assembled, unshown } from './plan/assembled.ts'
import { withIdleChips } from './plan/explain/idle-chips.ts'
import { modelSummary } from './plan/explain/model-summary.ts'
import { assembleInference } from './plan/inference/assemble.ts'
import { inferenceNoPlan } from './plan/inference/no-plan.ts'
import { paretoPoint } from './plan/inference/pareto-point.ts'
import { inferenceSensitivity } from './plan/inference/sensitivity.ts'
import { inferenceWarnings } from './plan/inference/warnings.ts'
import type { InferenceAnswer, InferenceNoPlan, InferencePlan } from './plan/inference-plan.ts'
import { noLaunch } from './plan/no-plan/no-launch.ts'
import { underChips } from './plan/no-plan/under-chips.ts'
import type { Unlaunchable } from './plan/plan.ts'
import { searchAccount } from './plan/search-account.ts'
import { type GenerateWorkload, type InferenceProblem, type PhaseProblem, satisfies } from './problem.ts'
import { unitMesh } from './sharding/axis.ts'

/** Without a solver nothing is proven of a plan's layouts. */
type PlanOf = (candidate: InferenceCandidate, rank: number, solver?: Solver | null) => InferencePlan

/** With no end to the time there is, exact; else the best so far, as in training (optimize.ts). */
export function infer(problem: PhaseProblem, solver: Solver, patience: Patience = endless): InferenceAnswer {
  const model = inferenceModel(problem, servable(problem))
  const phase = phaseOf(model, problem, patience(shares.meshes))
  const share = isGeneration(problem) ? shares.listBeforeFrontier : shares.search
  const stop = patience(share)
  const late = patience(shares.floors)
  const result = searchPhaseParts(model, problem, { phaseOf, servable }, { stop, late })
  const whole = { ...model, servable: null }
  const takesAll = satisfies(problem.cluster.chips, problem.constraints.chips)
  const better = takesAll && model.servable && betterThan(result.candidates[0], whole, problem, stop)
  const modelOf = ({ cluster }: InferenceCandidate) =>
    cluster === problem.cluster ? model : inferenceOn(model, cluster)
  const planOf: PlanOf = (candidate, rank, proving = solver) =>
    assembleInference(modelOf(candidate), phase, candidate, rank, proving)
  const [best] = result.candidates
  const frontier =
    best && isGeneration(problem) ? paretoCandidates(model, problem, patience(shares.frontier)) : null
  const plans = assembled(
    result.candidates,
    (candidate, rank) => withIdleChips(planOf(candidate, rank), problem, result.onAll?.seconds ?? null),
    patience(shares.plans),
  )
  const points = assembled(
    frontier?.candidates ?? [],
    (candidate, rank) => paretoPoint(planOf(candidate, rank, null), problem.cluster.chips),
    patience(shares.suggestions),
  )
  const unlaunchable = better ? unlaunchablePlan(problem, planOf(better, 0), better, best) : null
  const [first] = plans
  // Under plans of all the chips, and so of any.
  const floor = best ? floorSeconds(problem, phase.work(best.pass)) : null
  const account = searchAccount(
    result,
    first && best ? { stepTimeSeconds: first.stepTimeSeconds, score: best.score } : null,
    result.unexamined > 0 ? null : floor,
  )
  const cut = frontier !== null && (frontier.unexamined > 0 || points.length < frontier.candidates.length)
  const nothing = !best && result.unexamined === 0
  const why = () =>
    unlaunchable
      ? noLaunch(
          problem,
          serversOf(problem, problem.assumptions.frameworks),
          result.infeasible.constraint - phase.meshes.constrained,
          (other: PhaseProblem) => anyPlan(other, patience(shares.suggestions)),
        )
      : noPlan(model, problem, phase, result, planOf, patience)
  return {
    plans,
    unlaunchable,
    ...(frontier ? { pareto: points } : {}),
    search: { ...account, exact: account.exact && !cut },
    sensitivity: best ? inferenceSensitivity(modelOf(best), best) : null,
    infeasible: nothing
      ? (underChips<PhaseProblem, InferenceNoPlan>(
          problem,
          (fewer) => infer(fewer, solver, patience).infeasible,
          (changed) => anyPlan(changed, patience(shares.suggestions)),
        ) ?? why())
      : null,
    model: modelSummary(problem, lengthOf(problem)),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: [
      ...unshown(result.candidates.length, plans.length),
      ...(cut ? [cutFrontier] : []),
      ...inferenceWarnings(problem, first ?? null),
    ],
  }
}

/** The best of all, where nothing that can be launched is as good: a second search, which the first bounds. */
function betterThan(
  first: InferenceCandidate | undefined,
  model: InferenceModel,
  problem: PhaseProblem,
  stop: Stop,
): InferenceCandidate | null {
  const [best] = searchPhase(model, phaseOf(model, problem), 1, {
    stop,
    ...(first ? { most: first.score } : {}),
  }).candidates
  return best && !(first && first.score <= best.score * (1 + rounding)) ? best : null
}

/** The same plan in another order of sums. */
const rounding = 1e-9

function unlaunchablePlan(
  problem: PhaseProblem,
  plan: InferencePlan,
  candidate: InferenceCandidate,
  first: InferenceCandidate | undefined,
): Unlaunchable<InferencePlan> {
  const counted = { contextLength: lengthOf(problem), memory: plan.memoryBytes }
  return {
    plan,
    advantage: first ? first.score / candidate.score : null,
    reasons: servingRefusals(problem, candidate, problem.workload.mode, counted),
  }
}

function anyPlan(other: PhaseProblem, stop: Stop): boolean {
  if (stop()) return false
  const compiled = inferenceModel(other, servable(other))
  return anyCandidate(compiled, phaseOf(compiled, other, stop), stop)
}

export function phaseOf(
  model: InferenceModel,
  problem: PhaseProblem,
  stop: Stop = never,
  meshesOf?: MeshesOf,
): Phase {
  return isGeneration(problem)
    ? generationPhase(model, problem, stop, meshesOf)
    : prefillPhase(model, problem, stop, meshesOf)
}

export function lengthOf({ workload }: PhaseProblem): number {
  return workload.mode === 'prefill' ? workload.promptLength : workload.contextLength
}

function isGeneration(problem: PhaseProblem): problem is InferenceProblem<GenerateWorkload> {
  return problem.workload.mode === 'generate'
}

const cutFrontier =
  'there was no time for all batches and meshes of the frontier: points may be missing or beaten; raise timeoutMs'

function noPlan(
  model: InferenceModel,
  problem: PhaseProblem,
  phase: Phase,
  result: PartsFound,
  planOf: PlanOf,
  patience: Patience,
): InferenceAnswer['infeasible'] {
  const whole = { ...model, servable: null }
  const leanest =
    leanestCandidate(model, phase, {}, patience(shares.frontier)) ??
    leanestCandidate(whole, phaseOf(whole, problem), {}, patience(shares.frontier))
  const [fastest] = isGeneration(problem)
    ? searchPhase(model, generationPhase(model, unhurried(problem)), 1, { stop: patience(shares.plans) })
        .candidates
    : []
  const stop = patience(shares.suggestions)
  return inferenceNoPlan(problem, {
    result,
    meshes: phase.meshes,
    nearest: leanest ? planOf(leanest, 0) : null,
    fastest: fastest ? planOf(fastest, 0) : null,
    work: phase.work(phase.leastPass(unitMesh)),
    anyPlan: (other) => anyPlan(other, stop),
  })
}

/** Without the time limit, and with the smallest batch where any would do. */
function unhurried(problem: InferenceProblem<GenerateWorkload>): InferenceProblem<GenerateWorkload> {
  const { maxStepSeconds: _limit, ...workload } = problem.workload
  const batchSequences = workload.batchSequences === 'max' ? 1 : workload.batchSequences
  return { ...problem, workload: { ...workload, batchSequences } }
}
