/** A plan of inference that somebody wrote, costed as the search would; what it leaves out is chosen as the search would. */

import { lengthOf, phaseOf } from './infer.ts'
import { leanestCandidate } from './inference/leanest.ts'
import { inferenceModel } from './inference/model.ts'
import { candidatesAt, type InferenceCandidate, type Phase, sitesOf } from './inference/search.ts'
import type { Solvers } from './optimize.ts'
import { secondsText } from './plan/figures.ts'
import { assembleInference } from './plan/inference/assemble.ts'
import { phaseFields } from './plan/inference/phase-fields.ts'
import { inferenceSketchFaults } from './plan/inference/sketch-faults.ts'
import { inferenceWarnings } from './plan/inference/warnings.ts'
import type { InferenceEvaluation, InferencePlan } from './plan/inference-plan.ts'
import { modelSummary } from './plan/model-summary.ts'
import type { IllegalPlan, Infeasibility } from './plan/plan.ts'
import type { InferenceSketch, PhaseProblem } from './problem.ts'

export function evaluateInference(
  problem: PhaseProblem,
  sketch: InferenceSketch,
  { small }: Solvers,
): InferenceEvaluation | IllegalPlan {
  // The request's constraints are for the search; a plan that is spelled out is evaluated as it is.
  const free = { ...problem, constraints: {} }
  const model = inferenceModel(free)
  const phase = phaseOf(model, free)
  const sites = sitesOf(model, sketch.mesh, sketch)
  const faults = inferenceSketchFaults(model, free, sketch, sites)
  if (faults.length > 0) return { illegal: faults }
  const found = sites.flatMap((site) =>
    candidatesAt(model, site, { ...phase, score: (_, seconds) => seconds }),
  )
  const one: Phase = { ...phase, meshes: { ...phase.meshes, allowed: [sketch.mesh] } }
  const chosen = fastest(found) ?? leanestCandidate(model, one, sketch)
  if (!chosen) return { illegal: [{ pointer: '/plan', detail: 'the mesh has no layouts' }] }
  const fields = phaseFields(model, free, chosen)
  const plan = assembleInference(model, chosen, 1, phase, fields, small, lengthOf(free))
  return {
    plan: withinLimit(problem, plan),
    model: modelSummary(problem, lengthOf(problem)),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: inferenceWarnings(problem, plan),
  }
}

/** The search lists no plan over the limit; one that is spelled out is answered with what it is over by. */
function withinLimit({ workload }: PhaseProblem, plan: InferencePlan): InferencePlan {
  const limit = workload.mode === 'generate' ? workload.maxStepSeconds : undefined
  if (limit === undefined || plan.stepTimeSeconds <= limit) return plan
  const detail = `a step takes ${secondsText(plan.stepTimeSeconds)}, over the limit of ${secondsText(limit)}`
  const late: Infeasibility = { reason: 'latency', pointer: '/workload/maxStepSeconds', detail }
  return { ...plan, feasible: false, infeasible: [...(plan.infeasible ?? []), late] }
}

function fastest(candidates: readonly InferenceCandidate[]): InferenceCandidate | undefined {
  return [...candidates].sort((a, b) => a.score - b.score)[0]
}
