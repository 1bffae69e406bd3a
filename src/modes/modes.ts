/**
 * What is answered in each mode, and by whom: to add one is its folder, and its row here. A search of training goes through
 * optimize.ts, one of a phase through infer.ts, one of deployments through serve.ts.
 */
import type { Solver } from '../../solvers/linear-program.ts'
import { infer } from '../infer.ts'
import { optimize } from '../optimize.ts'
import { type Patience, type Stop, shares } from '../patience.ts'
import type { OptimizeAnswer } from '../plan/answer.ts'
import type { InferenceAnswer } from '../plan/inference-plan.ts'
import { evaluateInferenceRemedied } from '../remedied/inference.ts'
import { evaluateRemedied } from '../remedied/training.ts'
import { serve } from '../serve.ts'
import { type Validation, validate } from '../validate.ts'
import { forFrameworks } from '../validation/assumed-frameworks.ts'
import { byStep, type Ranking } from '../validation/check.ts'
import { phaseRanking } from '../validation/phase-ranking.ts'
import type { Answer, Inspection, Question, Trial, Verdict } from './question.ts'

interface Mode<Problem, Found = Answer> {
  readonly optimize: (problem: Problem, solver: Solver, patience: Patience) => Found
}

/** One of which a plan may be written down: not a deployment, whose phases are evaluated each for itself. */
interface WrittenMode<Asked extends { readonly problem: unknown; readonly sketch: unknown }>
  extends Mode<Asked['problem'], OptimizeAnswer | InferenceAnswer> {
  readonly evaluate: (
    problem: Asked['problem'],
    sketch: Asked['sketch'],
    solver: Solver,
    stop: Stop,
  ) => Verdict
  readonly ranking: (problem: Asked['problem']) => Ranking
}

type Of<Union, Name> = Extract<Union, { readonly mode: Name }>

type Rows = { readonly [Name in Trial['mode']]: WrittenMode<Of<Trial, Name>> } & {
  readonly serve: Mode<Of<Question, 'serve'>['problem']>
}

const ofPhase = { optimize: infer, evaluate: evaluateInferenceRemedied, ranking: phaseRanking }

const rows: Rows = {
  train: { optimize, evaluate: evaluateRemedied, ranking: () => byStep },
  prefill: ofPhase,
  generate: ofPhase,
  serve: { optimize: serve },
}

export function optimized(question: Question, solver: Solver, patience: Patience): Answer {
  const { optimize: search } = rows[question.mode] as unknown as Mode<Question['problem']>
  return search(question.problem, solver, patience)
}

/** One given plan is costed to the end, as what it leaves open is little; what would make it fit has its share of the time. */
export function evaluated({ mode, problem, sketch }: Trial, solver: Solver, patience: Patience): Verdict {
  return written(mode).evaluate(problem, sketch, solver, patience(shares.suggestions))
}

/** The plan, and the best that there is: the search has what time the plan leaves it. */
export function validated(inspection: Inspection, solver: Solver, patience: Patience): Validation {
  const { trial, require } = inspection
  const { mode, sketch } = trial
  const { optimize: search, evaluate, ranking } = written(mode)
  const problem = forFrameworks(trial.problem, require)
  const verdict = evaluate(problem, sketch, solver, patience(shares.remedies))
  const found = search({ ...problem, top: 1 }, solver, patience)
  return validate({ mesh: sketch.mesh, ranking: ranking(problem) }, require, verdict, found)
}

/** A row is asked of questions of its own mode alone: the type cannot say so of a union. */
function written(mode: Trial['mode']): WrittenMode<Trial> {
  return rows[mode] as unknown as WrittenMode<Trial>
}
