/** A written plan of prefill or generation, checked. */

import type { Solver } from '../../solvers/linear-program.ts'
import { infer } from '../infer.ts'
import { type Patience, shares } from '../patience.ts'
import type { InferenceSketch, PhaseProblem } from '../problem.ts'
import { evaluateInferenceRemedied } from '../remedied-inference.ts'
import { type Validation, validate } from '../validate.ts'
import { forFrameworks } from './assumed-frameworks.ts'
import { byStep, type Ranking, type Requirements } from './check.ts'

export function validatePhase(
  question: PhaseProblem,
  sketch: InferenceSketch,
  asked: Requirements,
  solver: Solver,
  patience: Patience,
): Validation {
  const problem = forFrameworks(question, asked)
  const verdict = evaluateInferenceRemedied(problem, sketch, solver, patience(shares.remedies))
  const found = infer({ ...problem, top: 1 }, solver, patience)
  return validate({ mesh: sketch.mesh, ranking: rankingOf(problem) }, asked, verdict, found)
}

/** A batch of `max` differs from plan to plan: of those that hold more sequences a step may well be longer. */
function rankingOf({ workload, objective }: PhaseProblem): Ranking {
  return workload.batchSequences === 'max' && objective !== 'latency' ? byToken : byStep
}

const byToken: Ranking = {
  says: 'Of all sequences together a token takes',
  secondsOf: ({ tokensPerSecond }) => 1 / tokensPerSecond,
}
