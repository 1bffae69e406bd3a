/** A plan of inference that somebody wrote, costed as the search would; what it leaves out is chosen as the search would. */
import type { Solver } from '../solvers/linear-program.ts'
import { leanestCandidate } from './inference/layout/leanest.ts'
import { type InferenceModel, inferenceModel } from './inference/model.ts'
import { fullestPasses } from './inference/pass/fullest.ts'
import type { Pass } from './inference/pass/pass.ts'
import type { InferenceCandidate, Phase, Site } from './inference/phase.ts'
import { bestAt, type Given, sitesOf } from './inference/sites.ts'
import { servable } from './launch/servable.ts'
import { phaseOf, positionsOf, rowOf } from './modes/phases.ts'
import { never } from './patience.ts'
import type { EvaluateAnswer, IllegalPlan } from './plan/answer.ts'
import { resolved } from './plan/answered.ts'
import { secondsText } from './plan/explain/figures.ts'
import { assembleInference } from './plan/inference/assemble.ts'
import { inferenceSketchFaults, tokensOf } from './plan/inference/sketch-faults.ts'
import { inferenceWarnings } from './plan/inference/warnings.ts'
import type { InferencePlan } from './plan/inference-plan.ts'
import { onParts } from './plan/no-plan/on-parts.ts'
import type { Infeasibility } from './plan/plan.ts'
import { sketchedPlacements } from './plan/sketch/sketched-placement.ts'
import type { InferenceSketch } from './plan-sketch.ts'
import type { PhaseProblem } from './problem.ts'
import { replicasOf } from './sharding/axis.ts'
import { isMeant, sequenceGroups } from './sharding/tables/inference-layout-fields.ts'

/** A mesh that takes fewer chips than there are lies on the part of them where it is best; the others stand idle. */
export function evaluateInference(
  problem: PhaseProblem,
  sketch: InferenceSketch,
  solver: Solver,
): EvaluateAnswer<InferencePlan> | IllegalPlan {
  return onParts(problem.cluster, sketch.mesh, (cluster) =>
    evaluateOn({ ...problem, cluster }, sketch, solver),
  )
}

function evaluateOn(
  problem: PhaseProblem,
  sketch: InferenceSketch,
  solver: Solver,
): EvaluateAnswer<InferencePlan> | IllegalPlan {
  // The request's constraints are for the search; a plan that is spelled out is evaluated as it is.
  const free = { ...withBatch(problem, sketch), constraints: {} }
  const model = inferenceModel(free)
  const open = phaseOf(model, free)
  const placed = sketchedPlacements(problem, sketch)
  const given: Given = { layout: sketch.layout, placements: placed.meant }
  const sites = sitesOf(model, sketch.mesh, given)
  const tried = { sites, placement: placed.faults, phase: open }
  const faults = inferenceSketchFaults(model, free, sketch, tried)
  if (faults.length > 0) return { illegal: faults }
  const phase = withPasses(open, sketch, sites[0])
  const launched = inferenceModel(free, servable(free))
  const of = (own: InferenceModel, asked: PhaseProblem) => withPasses(phaseOf(own, asked), sketch, sites[0])
  const bestIn = (own: Phase) => bestOn(own, sketch, given)
  // What has no room for its longest sequence is answered as what it is without one, and its launch says so.
  const brief: PhaseProblem = { ...free, workload: rowOf(free.workload).short(free.workload) } as PhaseProblem
  const short = of(model, brief)
  const one: Phase = { ...short, meshes: { ...short.meshes, allowed: [sketch.mesh] } }
  // A plan over the time limit is answered all the same when no choice of what it leaves open is under it.
  const chosen =
    (launched.servable && (bestIn(of(launched, free)) ?? bestIn(of(launched, brief)))) ??
    bestIn(phase) ??
    bestIn(short) ??
    bestIn(unlimited(short)) ??
    leanestCandidate(one, given)
  if (!chosen) return { illegal: [{ pointer: '/plan', detail: 'the mesh has no layouts' }] }
  const plan = assembleInference(model, phase, chosen, 1, solver)
  return {
    plan: withinLimit(problem, plan),
    ...resolved(problem, positionsOf(problem)),
    warnings: inferenceWarnings(problem, plan, 'the plan'),
  }
}

/** A plan of generation names its own batch, which on the frontier differs from the workload's. */
function withBatch(problem: PhaseProblem, { batchSequences }: InferenceSketch): PhaseProblem {
  const { workload } = problem
  if (batchSequences === undefined || rowOf(workload).prompts(workload) !== null) return problem
  return { ...problem, workload: { ...workload, batchSequences } } as PhaseProblem
}

/** Keeps only the passes whose microbatches are those that the plan names, and of these the fullest of those that a stage may take at once. */
function withPasses(phase: Phase, sketch: InferenceSketch, first: Site | undefined): Phase {
  const { microbatches, microbatchTokens, stepTokens } = sketch
  const meant = (pass: Pass) =>
    (microbatches === undefined || pass.units === microbatches) &&
    (microbatchTokens === undefined || tokensOf(pass) === microbatchTokens)
  const passes = (site: Site) => {
    const named = phase.passes(site).filter(meant)
    return stepTokens === undefined ? named : fullestPasses(named, stepTokens, groupsOf(phase.bench, sketch))
  }
  const leastPass: Phase['leastPass'] = (mesh) => {
    const least = phase.leastPass(mesh)
    return meant(least) || !first ? least : (passes(first)[0] ?? least)
  }
  return { ...phase, passes, leastPass }
}

/** Groups of chips that have sequences of their own where attention lies as the plan names it. */
function groupsOf({ components }: InferenceModel, { mesh, layout }: InferenceSketch): number {
  const named = components.flatMap(({ name, layouts }) =>
    layouts.filter((own) => isMeant(layout[name] ?? '', own.name)),
  )
  const cache = named.find((own) => own.cache !== null)?.cache ?? 'heads'
  return replicasOf(mesh) * sequenceGroups(cache, mesh)
}

/** The search lists no plan over the limit; a written plan is answered all the same, with how far it is over. */
function withinLimit({ workload }: PhaseProblem, plan: InferencePlan): InferencePlan {
  const limit = rowOf(workload).limitSeconds(workload)
  if (limit === undefined || plan.stepTimeSeconds <= limit) return plan
  const detail = `a step takes ${secondsText(plan.stepTimeSeconds)}, over the limit of ${secondsText(limit)}`
  const late: Infeasibility = { reason: 'latency', pointer: '/workload/maxStepSeconds', detail }
  return { ...plan, feasible: false, infeasible: [...(plan.infeasible ?? []), late] }
}

/** The best candidate on the sketch's mesh for what the sketch leaves open, by the score that the search ranks by. */
function bestOn(phase: Phase, { mesh }: InferenceSketch, given: Given): InferenceCandidate | null {
  const sites = sitesOf(phase.bench, mesh, given, phase.offers(mesh, given.layout))
  const found = bestAt(phase, sites, Number.POSITIVE_INFINITY, never)
  return typeof found === 'string' || !Number.isFinite(found.score) ? null : found
}

function unlimited(phase: Phase): Phase {
  return { ...phase, score: (_, seconds) => seconds }
}
