/** What changes of a written plan are tried by: evaluated, as far as there is time. */
import type { Stop } from '../patience.ts'
import type { IllegalPlan } from '../plan/answer.ts'

/** Null where the changed plan is illegal or does not fit, or where it is late. */
export function fittingOf<Problem, Sketch, Plan extends { readonly feasible: boolean }>(
  evaluated: (problem: Problem, sketch: Sketch) => { readonly plan: Plan } | IllegalPlan,
  stop: Stop,
): (problem: Problem, sketch: Sketch) => Plan | null {
  return (problem, sketch) => {
    if (stop()) return null
    const tried = evaluated(problem, sketch)
    return 'plan' in tried && tried.plan.feasible ? tried.plan : null
  }
}
