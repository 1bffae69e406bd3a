/** Searches for the best plan to compare a given one with, if the request asks for it. */
import type { Trial, Verdict } from '../../src/modes/question.ts'
import { type Patience, within } from '../../src/patience.ts'
import { preferredPlan } from '../../src/plan/certainty/preferred.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { launchersOf, type Regret, regret, type ServeRegret, serveRegret } from '../../src/plan/regret.ts'
import type { Planner } from './comparison.ts'

/** Null if the plan does not fit or is too slow, or if no other plan exists. */
export function regretOf(
  { sketch: _, costedWith: _own, file, ...question }: Trial,
  verdict: Verdict,
  { optimized }: Pick<Planner, 'optimized'>,
  patience: Patience,
): Regret | ServeRegret | null {
  if ('illegal' in verdict || !verdict.plan.feasible) return null
  const { plan } = verdict
  const { assumptions, workload } = question.problem
  // Whoever wrote a file for one framework has that one, whatever else could launch its plan.
  const launchers = file ? [file] : launchersOf(plan, assumptions.frameworks)
  const asked = { assumptions: { ...assumptions, frameworks: launchers } }
  const narrowed = { ...question, problem: { ...question.problem, ...asked } } as typeof question
  const found = optimized(narrowed, within(patience, 0.1, 1))
  const best = preferredPlan<Plan | ServePlan>(found)
  if (!best) return null
  const searched = { frameworks: launchers, exact: found.search.exact }
  if ('generate' in plan) {
    const atRate = 'requestsPerSecond' in workload && workload.requestsPerSecond !== undefined
    return serveRegret(plan, best as ServePlan, { atRate, ...searched })
  }
  const byToken = 'batchSequences' in workload && workload.batchSequences === 'max'
  const recipes = 'recipes' in found ? found.recipes : []
  return regret(plan, best as Plan, { byToken, recipes, ...searched })
}
