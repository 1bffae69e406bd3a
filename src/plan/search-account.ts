/** How a search went, and what it proves: how much better than the best that was found anything can be. */
import type { Tally } from '../search/tally.ts'
import type { Seconds } from '../units.ts'
import type { SearchAccount } from './answer.ts'

/** What was found: its time, and what it is ranked by. */
export interface Incumbent {
  readonly stepTimeSeconds: Seconds
  readonly score: number
}

/** Scores of training hold a billionth of the time without overlap, which is at most some hundred times the step. */
const rounding = 1e-7

/**
 * Every plan is either looked at, and then no better than the best, or has a floor: the lesser of the two is under all of them,
 * in seconds of the best plan. So is the bound, if there is one that is known of the whole space.
 */
export function searchAccount(
  { enumerated, pruned, evaluated, infeasible, unexamined, floor }: Tally,
  best: Incumbent | null,
  boundSeconds: Seconds | null,
): SearchAccount {
  const reached = best && best.stepTimeSeconds * Math.min(1, floor / best.score) * (1 - rounding)
  const proven = unexamined > 0 ? Math.max(boundSeconds ?? 0, reached ?? 0) : boundSeconds
  return {
    enumerated,
    pruned,
    evaluated,
    infeasible,
    unexamined,
    lowerBoundSeconds: proven === 0 ? null : proven,
    gap: proven && best ? best.stepTimeSeconds / proven - 1 : null,
    exact: unexamined === 0,
  }
}
