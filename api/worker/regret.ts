/** The search for what a given plan gives away, where it is asked for. */
import { type Patience, within } from '../../src/patience.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { launchersOf, type Regret, regret } from '../../src/plan/regret.ts'
import type { Planner } from './comparison.ts'
import type { Trial, Verdict } from './question.ts'

/** Null where the plan does not fit, or nothing else does. */
export function regretOf(
  { sketch: _, ...question }: Trial,
  verdict: Verdict,
  { optimized }: Planner,
  patience: Patience,
): Regret | null {
  if ('illegal' in verdict || !verdict.plan.feasible) return null
  const { assumptions, workload } = question.problem
  const launchers = launchersOf(verdict.plan, assumptions.frameworks)
  const asked = { top: 1, assumptions: { ...assumptions, frameworks: launchers } }
  const narrowed = { ...question, problem: { ...question.problem, ...asked } } as typeof question
  const { plans, search } = optimized(narrowed, within(patience, 0.1, 1))
  const [best] = plans as readonly Plan[]
  const byToken = 'batchSequences' in workload && workload.batchSequences === 'max'
  return regret(verdict.plan, best, { byToken, exact: search.exact, launchers })
}
