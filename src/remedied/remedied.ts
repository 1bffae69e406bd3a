/** A written plan that does not run, with what makes it run: each change has been evaluated, as far as there is time. */
import type { Solver } from '../../solvers/linear-program.ts'
import { never, type Stop } from '../patience.ts'
import type { IllegalPlan, Suggestion } from '../plan/answer.ts'

/** A changed plan as evaluated. Null where it is illegal or does not fit, or where time is out. */
export type Tried<Problem, Sketch, Plan> = (problem: Problem, sketch: Sketch) => Plan | null

/** An evaluation whose answer, where the plan does not fit or is late, has what helps. */
export function remedied<Problem, Sketch, Plan extends { readonly feasible: boolean }, Answer>(
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
  return (problem: Problem, sketch: Sketch, solver: Solver, stop: Stop = never) => {
    const answer = evaluate(problem, sketch, solver)
    if (!('plan' in answer) || answer.plan.feasible) return answer
    const fitting: Tried<Problem, Sketch, Plan> = (other, changed) => {
      if (stop()) return null
      const tried = evaluate(other, changed, solver)
      return 'plan' in tried && tried.plan.feasible ? tried.plan : null
    }
    return { ...answer, suggestions: suggestionsFor(problem, sketch, answer.plan, fitting) }
  }
}
