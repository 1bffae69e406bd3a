/**
 * Who answers a question in each mode; to add a mode, add its folder and its row here. optimize.ts searches for
 * training, infer.ts for a phase of inference, serve.ts for deployments.
 */
import type { Solver } from '../../solvers/linear-program.ts'
import { alone, type Crew } from '../crew.ts'
import { present } from '../fields.ts'
import { infer } from '../infer.ts'
import { optimize } from '../optimize.ts'
import { atOnce, type Patience, type Stop, shares } from '../patience.ts'
import { comparingSteps } from '../plan/certainty/custom.ts'
import { type Comparing, onMeshes } from '../plan/certainty/ties.ts'
import { warnings } from '../plan/explain/warnings.ts'
import { inferenceWarnings } from '../plan/inference/warnings.ts'
import type { InferencePlan, ServePlan } from '../plan/inference-plan.ts'
import type { Plan } from '../plan/plan.ts'
import { comparingDeployments } from '../plan/serve/ties.ts'
import { serveWarnings } from '../plan/serve/warnings.ts'
import type { PhaseProblem } from '../problem.ts'
import { evaluateInferenceRemedied, inferenceChanges } from '../remedied/inference.ts'
import type { LaunchedBy } from '../remedied/launches-as.ts'
import type { Changed, Written } from '../remedied/remedied.ts'
import { evaluateServeRemedied, serveChanges } from '../remedied/serve.ts'
import { evaluateRemedied, trainingChanges } from '../remedied/training.ts'
import type { Way } from '../rules/part-rule.ts'
import { serve } from '../serve.ts'
import { axes, type Mesh } from '../sharding/axis.ts'
import { type Validation, validate } from '../validate.ts'
import { asLong } from '../validation/as-long.ts'
import { forFrameworks } from '../validation/assumed-frameworks.ts'
import { byStep, type Ranking, type RequirementRows, type Requirements } from '../validation/check.ts'
import { asCosted, type CostedAs, leftOutOf, saidAsCosted } from '../validation/costed-with.ts'
import { changedBy, fittingWays } from '../validation/fitting-ways.ts'
import { reached } from '../validation/one-change.ts'
import { phaseRanking } from '../validation/phase-ranking.ts'
import { phaseRequirements, requirements } from '../validation/requirements.ts'
import { serveRanking, serveRequirements } from '../validation/serve-requirements.ts'
import type { Answer, Inspection, Question, Trial, Verdict } from './question.ts'

interface Mode<Problem, Found = Answer> {
  readonly optimize: (problem: Problem, solver: Solver, patience: Patience, crew: Crew) => Found
}

/** A mode in which a written plan can be evaluated too. */
interface WrittenMode<Asked extends { readonly problem: unknown; readonly sketch: unknown }, Found>
  extends Mode<Asked['problem'], Answer & { readonly plans: readonly Found[] }> {
  readonly evaluate: (
    problem: Asked['problem'],
    sketch: Asked['sketch'],
    solver: Solver,
    stop: Stop,
    launchedBy: LaunchedBy,
  ) => Verdict
  readonly changes: (written: Written<Asked['problem'], Asked['sketch']>) => readonly Changed<Found>[]
  /** What the best plan is searched with that this one is compared with, where the plan says more of what is served than the request. */
  readonly alike?: (problem: Asked['problem'], sketch: Asked['sketch']) => Asked['problem']
  readonly ranking: (problem: Asked['problem']) => Ranking<Found>
  /** What says that two plans are tied; undefined where nothing is known of it. */
  readonly comparing: (problem: Asked['problem']) => Comparing<Found> | undefined
  readonly told: (problem: Asked['problem'], best: Found | null) => readonly string[]
  readonly requirements: RequirementRows<Found>
  /** The meshes of a written plan, by their pointers. */
  readonly meshes: (sketch: Asked['sketch']) => Readonly<Record<string, Mesh | undefined>>
}

type Of<Union, Name> = Extract<Union, { readonly mode: Name }>

type Rows = {
  readonly [Name in Trial['mode']]: WrittenMode<Of<Trial, Name>, Name extends 'serve' ? ServePlan : Plan>
}

const ofMesh = {
  requirements,
  meshes: ({ mesh }: { readonly mesh: Mesh }) => ({ '/plan/mesh': mesh }),
}

const ofPhase = {
  ...{ optimize: infer, evaluate: evaluateInferenceRemedied, changes: inferenceChanges },
  ...{ ranking: phaseRanking, ...ofMesh, requirements: phaseRequirements },
  // What a search of a phase lists are its own plans.
  told: (problem: PhaseProblem, best: Plan | null) =>
    inferenceWarnings(problem, best as InferencePlan | null),
  comparing: (problem: PhaseProblem) =>
    onMeshes(problem.residuals?.differences, 'inference', phaseRanking(problem).measure),
}

const rows: Rows = {
  train: {
    ...{ optimize, evaluate: evaluateRemedied, changes: trainingChanges, ranking: () => byStep },
    comparing: comparingSteps,
    told: warnings,
    ...ofMesh,
  },
  prefill: ofPhase,
  generate: ofPhase,
  serve: {
    optimize: serve,
    evaluate: evaluateServeRemedied,
    changes: serveChanges,
    alike: asLong,
    ranking: serveRanking,
    comparing: comparingDeployments,
    told: (problem, best) => serveWarnings(problem, best, true),
    requirements: serveRequirements,
    meshes: ({ prefill, generate }) => ({
      '/plan/prefill/mesh': prefill?.mesh,
      '/plan/generate/mesh': generate?.mesh,
    }),
  },
}

export function optimized(
  question: Question,
  solver: Solver,
  patience: Patience,
  crew: Crew = alone,
): Answer {
  const { optimize: search } = rows[question.mode] as unknown as Mode<Question['problem']>
  return search(question.problem, solver, patience, crew)
}

/** Costs a written plan. That is short and always finishes; trying what would make the plan fit may take its share of the time. */
export function evaluated(trial: Trial, solver: Solver, patience: Patience): Verdict {
  return verdictOn(trial, trial.problem, solver, patience(shares.suggestions))
}

function verdictOn(
  { mode, sketch, costedWith, file }: Trial,
  problem: Trial['problem'],
  solver: Solver,
  stop: Stop,
  { launchableBy }: Requirements = {},
) {
  const by = launchedBy(file, launchableBy)
  const costed = (asked: Trial['problem'], till = stop) =>
    written(mode).evaluate(asked, sketch, solver, till, by)
  // Of what it would be otherwise only its own account is read.
  const other: CostedAs = (costing) => costed(asCosted(problem, costing), atOnce)
  return saidAsCosted(costed(asCosted(problem, costedWith)), costedWith, other)
}

function launchedBy(file: Trial['file'], required: Requirements['launchableBy']): LaunchedBy {
  return present({ required, file })
}

/** Checks a written plan, and searches in the time that is left for the one to compare with: of the list of /optimize, the one preferred there. */
export function validated(
  inspection: Inspection,
  solver: Solver,
  patience: Patience,
): Validation<Plan | ServePlan> {
  const { trial, require } = inspection
  const { mode, sketch, costedWith } = trial
  const { alike, ranking, comparing, told, requirements: asked, meshes } = written(mode)
  const problem = forFrameworks(trial.problem, require)
  const first = verdictOn(trial, problem, solver, patience(shares.remedies), require)
  const verdict = require.fits === false ? first : withFittingWays(first, trial, problem, solver, patience)
  const found = foundAlike(mode, problem, alike?.(problem, sketch) ?? problem, solver, patience)
  const compare = { ranking: ranking(problem), comparing: comparing(problem) }
  const subject = {
    ...{ rows: asked, ...compare, sizeAt: sizesOf(meshes(sketch)) },
    told: (best: Plan | ServePlan | null) => told(problem, best),
  }
  const named = { ...found, assumptions: asCosted(problem, costedWith).assumptions }
  const near = () => {
    const changes = oneChange(inspection, verdict, solver, patience(shares.suggestions))
    return changes.map((changed) => ({ remedy: reached(changed, subject.ranking), plan: changed.plan }))
  }
  return validate<Plan | ServePlan>(subject, require, verdict, named, near)
}

/** What nothing has room for is compared with what the request alone asks for. */
function foundAlike(
  mode: Trial['mode'],
  problem: Trial['problem'],
  own: Trial['problem'],
  solver: Solver,
  patience: Patience,
) {
  const { optimize: search } = written(mode)
  const found = search(own, solver, patience, alone)
  return found.plans.length > 0 || own === problem ? found : search(problem, solver, patience, alone)
}

/** An illegal plan is told the ways with which it fits. */
function withFittingWays(
  verdict: Verdict,
  trial: Trial,
  problem: Trial['problem'],
  solver: Solver,
  patience: Patience,
): Verdict {
  if (!('illegal' in verdict)) return verdict
  const changed = (way: Way) => ({ ...trial, sketch: changedBy<object>(trial.sketch, way) }) as Trial
  const tried = (way: Way) => verdictOn(changed(way), problem, solver, atOnce)
  return { illegal: fittingWays(verdict.illegal, tried, patience(shares.remedies)) }
}

/** The written plan with one thing changed: costed as others are, or with a choice of its own left to the search. */
function oneChange(
  { trial, require }: Inspection,
  verdict: Verdict,
  solver: Solver,
  stop: Stop,
): readonly Changed<Plan | ServePlan>[] {
  if ('illegal' in verdict || !verdict.plan.feasible) return []
  const { mode, sketch, costedWith, file } = trial
  const problem = forFrameworks(trial.problem, require)
  const by = launchedBy(file, require.launchableBy)
  const left = leftOutOf(costedWith).flatMap(({ change, changes, costing }) => {
    const other = written(mode).evaluate(asCosted(problem, costing), sketch, solver, stop, by)
    return 'illegal' in other || !other.plan.feasible ? [] : [{ change, text: '', changes, plan: other.plan }]
  })
  const own = { problem: asCosted(problem, costedWith), sketch, plan: verdict.plan }
  return [...left, ...written(mode).changes({ ...own, solver, stop, by })]
}

function sizesOf(meshes: Readonly<Record<string, Mesh | undefined>>) {
  return (pointer: string) => {
    const axis = axes.find((name) => pointer.endsWith(`/${name}`))
    const mesh = axis && meshes[pointer.slice(0, -axis.length - 1)]
    return axis && mesh ? { axis, size: mesh[axis] } : null
  }
}

/** Each row is called only with questions of its own mode, which the types cannot express for a union. */
function written(mode: Trial['mode']): WrittenMode<Trial, Plan | ServePlan> {
  return rows[mode] as unknown as WrittenMode<Trial, Plan | ServePlan>
}
