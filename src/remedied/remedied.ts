/** Evaluates a written plan; if it does not run, suggests changes that make it run, each evaluated as far as time allows. */
import type { Solver } from '../../solvers/linear-program.ts'
import { never, type Stop } from '../patience.ts'
import type { IllegalPlan, Suggestion } from '../plan/answer.ts'
import type { Setting } from '../problem.ts'
import { type Launched, type LaunchedBy, launchesAs } from './launches-as.ts'

/** Evaluates a changed plan; null if it is illegal, does not fit, is too slow or cannot be launched as it has to be, or if time is up. */
export type Tried<Problem, Sketch, Plan> = (problem: Problem, sketch: Sketch) => Plan | null

/** Wraps an evaluation so that its answer has suggestions if the plan does not fit or is too slow. */
export function remedied<Problem extends Pick<Setting, 'assumptions'>, Sketch, Plan extends Launched, Answer>(
  evaluate: (
    problem: Problem,
    sketch: Sketch,
    solver: Solver,
  ) => (Answer & { readonly plan: Plan }) | IllegalPlan,
  suggestionsFor: (
    problem: Problem,
    sketch: Sketch,
    plan: Plan,
    fitting: Tried<Problem, Sketch, Plan>,
  ) => readonly Suggestion[],
) {
  return (problem: Problem, sketch: Sketch, solver: Solver, stop: Stop = never, by: LaunchedBy = {}) => {
    const answer = evaluate(problem, sketch, solver)
    if (!('plan' in answer) || answer.plan.feasible) return answer
    const launches = launchesAs(answer.plan, by, problem.assumptions.frameworks)
    const fitting: Tried<Problem, Sketch, Plan> = (other, changed) => {
      if (stop()) return null
      const tried = evaluate(other, changed, solver)
      return 'plan' in tried && tried.plan.feasible && launches(tried.plan) ? tried.plan : null
    }
    return { ...answer, suggestions: suggestionsFor(problem, sketch, answer.plan, fitting) }
  }
}
