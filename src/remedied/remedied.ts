/** Evaluates a written plan; if it does not run, suggests changes that make it run, each evaluated as far as time allows. */
import type { Solver } from '../../solvers/linear-program.ts'
import { never, type Stop } from '../patience.ts'
import type { IllegalPlan, Suggestion } from '../plan/answer.ts'
import type { Setting } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'
import { type Launched, type LaunchedBy, launchesAs } from './launches-as.ts'

/** A written plan with a change of one thing that it says. */
export interface Changed<Plan> {
  readonly change: string
  /** What is chosen. */
  readonly text: string
  readonly changes: readonly [Change, ...Change[]]
  readonly plan: Plan
}

/** Evaluates a changed plan; null if it is illegal, does not fit, is too slow or cannot be launched as it has to be, or if time is up. */
export type Tried<Problem, Sketch, Plan> = (problem: Problem, sketch: Sketch) => Plan | null

/** A written plan, and a way to try changes of it. */
export interface Asked<Problem, Sketch, Plan> {
  readonly problem: Problem
  readonly sketch: Sketch
  readonly fitting: Tried<Problem, Sketch, Plan>
}

type Evaluate<Problem, Sketch, Plan, Answer> = (
  problem: Problem,
  sketch: Sketch,
  solver: Solver,
) => (Answer & { readonly plan: Plan }) | IllegalPlan

type Assumed = Pick<Setting, 'assumptions'>

/** Wraps an evaluation so that its answer has suggestions if the plan does not fit or is too slow. */
export function remedied<Problem extends Assumed, Sketch, Plan extends Launched, Answer>(
  evaluate: Evaluate<Problem, Sketch, Plan, Answer>,
  suggestionsFor: (asked: Asked<Problem, Sketch, Plan>, plan: Plan) => readonly Suggestion[],
) {
  return (problem: Problem, sketch: Sketch, solver: Solver, stop: Stop = never, by: LaunchedBy = {}) => {
    const answer = evaluate(problem, sketch, solver)
    if (!('plan' in answer) || answer.plan.feasible) return answer
    const fitting = triedWith(evaluate, { problem, sketch, plan: answer.plan, solver, stop, by })
    return { ...answer, suggestions: suggestionsFor({ problem, sketch, fitting }, answer.plan) }
  }
}

export interface Written<Problem, Sketch> {
  readonly problem: Problem
  readonly sketch: Sketch
  readonly plan: Launched
  readonly solver: Solver
  readonly stop: Stop
  readonly by: LaunchedBy
}

/** Changes of one thing that a written plan says, all of which run; as far as time allows. */
export function changesOf<Problem extends Assumed, Sketch, Plan extends Launched, Answer>(
  evaluate: Evaluate<Problem, Sketch, Plan, Answer>,
  changed: (asked: Asked<Problem, Sketch, Plan>) => readonly Changed<Plan>[],
) {
  return (written: Written<Problem, Sketch>) => {
    const { problem, sketch } = written
    return changed({ problem, sketch, fitting: triedWith(evaluate, written) })
  }
}

function triedWith<Problem extends Assumed, Sketch, Plan extends Launched, Answer>(
  evaluate: Evaluate<Problem, Sketch, Plan, Answer>,
  { problem, plan, solver, stop, by }: Written<Problem, Sketch>,
): Tried<Problem, Sketch, Plan> {
  const launches = launchesAs(plan, by, problem.assumptions.frameworks)
  return (other, sketch) => {
    if (stop()) return null
    const tried = evaluate(other, sketch, solver)
    return 'plan' in tried && tried.plan.feasible && launches(tried.plan) ? tried.plan : null
  }
}
