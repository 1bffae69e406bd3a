/** Inference in one page: a problem in, ranked plans of a phase out. */
import type { Solver } from '../solvers/linear-program.ts'
import { generationPhase } from './inference/generation.ts'
import { leanestCandidate } from './inference/leanest.ts'
import { type InferenceModel, inferenceModel } from './inference/model.ts'
import { paretoCandidates } from './inference/pareto.ts'
import { prefillPhase } from './inference/prefill.ts'
import { anyCandidate, type InferenceCandidate, type Phase, searchPhase } from './inference/search.ts'
import type { Solvers } from './optimize.ts'
import { assembleInference } from './plan/inference/assemble.ts'
import { inferenceNoPlan } from './plan/inference/no-plan.ts'
import { paretoPoint } from './plan/inference/pareto-point.ts'
import { phaseFields } from './plan/inference/phase-fields.ts'
import { inferenceSensitivity } from './plan/inference/sensitivity.ts'
import { inferenceWarnings } from './plan/inference/warnings.ts'
import type { InferenceAnswer, InferencePlan, ParetoPoint } from './plan/inference-plan.ts'
import { modelSummary } from './plan/model-summary.ts'
import type { GenerateWorkload, InferenceProblem, PhaseProblem } from './problem.ts'
import { unitMesh } from './sharding/axis.ts'

/** Without a solver nothing is proven of a plan's layouts. */
type PlanOf = (candidate: InferenceCandidate, rank: number, solver?: Solver | null) => InferencePlan

export function infer(problem: PhaseProblem, { small }: Solvers): InferenceAnswer {
  const model = inferenceModel(problem)
  const phase = phaseOf(model, problem)
  const result = searchPhase(model, phase, problem.top)
  const planOf: PlanOf = (candidate, rank, solver = small) =>
    assembleInference(
      model,
      candidate,
      rank,
      phase,
      phaseFields(model, problem, candidate),
      solver,
      lengthOf(problem),
    )
  const plans = result.candidates.map((candidate, index) => planOf(candidate, index + 1))
  const [best] = result.candidates
  const floor = plans[0]?.floorSeconds ?? null
  return {
    plans,
    ...(best && isGeneration(problem) ? { pareto: pareto(model, problem, planOf) } : {}),
    search: {
      enumerated: phase.meshes.total,
      pruned: result.pruned,
      evaluated: result.evaluated,
      infeasible: {
        ...result.infeasible,
        divisibility: phase.meshes.indivisible,
        constraint: phase.meshes.constrained,
      },
      lowerBoundSeconds: floor,
      gap: floor && plans[0] ? plans[0].stepTimeSeconds / floor - 1 : null,
      exact: true,
    },
    sensitivity: best ? inferenceSensitivity(model, best) : null,
    infeasible: best ? null : nothing(model, problem, phase, result, planOf),
    model: modelSummary(problem, lengthOf(problem)),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: inferenceWarnings(problem, plans[0] ?? null),
  }
}

export function phaseOf(model: InferenceModel, problem: PhaseProblem): Phase {
  return isGeneration(problem) ? generationPhase(model, problem) : prefillPhase(model, problem)
}

export function lengthOf({ workload }: PhaseProblem): number {
  return workload.mode === 'prefill' ? workload.promptLength : workload.contextLength
}

function isGeneration(problem: PhaseProblem): problem is InferenceProblem<GenerateWorkload> {
  return problem.workload.mode === 'generate'
}

function pareto(
  model: InferenceModel,
  problem: InferenceProblem<GenerateWorkload>,
  planOf: PlanOf,
): readonly ParetoPoint[] {
  return paretoCandidates(model, problem).map((candidate, index) =>
    paretoPoint(planOf(candidate, index + 1, null), problem.cluster.chips),
  )
}

function nothing(
  model: InferenceModel,
  problem: PhaseProblem,
  phase: Phase,
  result: ReturnType<typeof searchPhase>,
  planOf: PlanOf,
): InferenceAnswer['infeasible'] {
  const leanest = leanestCandidate(model, phase)
  const [fastest] = isGeneration(problem)
    ? searchPhase(model, generationPhase(model, unhurried(problem)), 1).candidates
    : []
  return inferenceNoPlan(problem, {
    result,
    meshes: phase.meshes,
    nearest: leanest ? planOf(leanest, 0) : null,
    fastest: fastest ? planOf(fastest, 0) : null,
    work: phase.work(phase.leastPass(unitMesh)),
    anyPlan: (other) => {
      const compiled = inferenceModel(other)
      return anyCandidate(compiled, phaseOf(compiled, other))
    },
  })
}

/** Without the time limit, and with the smallest batch where any would do. */
function unhurried(problem: InferenceProblem<GenerateWorkload>): InferenceProblem<GenerateWorkload> {
  const { maxStepSeconds: _limit, ...workload } = problem.workload
  const batchSequences = workload.batchSequences === 'max' ? 1 : workload.batchSequences
  return { ...problem, workload: { ...workload, batchSequences } }
}
