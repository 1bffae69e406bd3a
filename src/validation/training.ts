/** A written plan of training, checked. */
import type { Solver } from '../../solvers/linear-program.ts'
import { optimize } from '../optimize.ts'
import { type Patience, shares } from '../patience.ts'
import type { PlanSketch, Problem } from '../problem.ts'
import { evaluateRemedied } from '../remedied.ts'
import { type Validation, validate } from '../validate.ts'
import { forFrameworks } from './assumed-frameworks.ts'
import { byStep, type Requirements } from './check.ts'

export function validateTraining(
  question: Problem,
  sketch: PlanSketch,
  asked: Requirements,
  solver: Solver,
  patience: Patience,
): Validation {
  const problem = forFrameworks(question, asked)
  const verdict = evaluateRemedied(problem, sketch, solver, patience(shares.remedies))
  const found = optimize({ ...problem, top: 1 }, solver, patience)
  return validate({ mesh: sketch.mesh, ranking: byStep }, asked, verdict, found)
}
