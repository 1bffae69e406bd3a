/** How a search went, and what it proves: how much better than the best plan found anything could be. */
import type { Tally } from '../search/tally.ts'
import type { Seconds } from '../units.ts'
import type { SearchAccount } from './answer.ts'
import { counted, percent } from './explain/figures.ts'

/** The best plan found: its step time, and the score that it is ranked by. */
export interface Incumbent {
  readonly stepTimeSeconds: Seconds
  readonly score: number
}

/** Training scores include a billionth of the time without overlap, which is at most about a hundred times the step. */
const rounding = 1e-7

/**
 * Every plan was either looked at, and is no better than the best, or has a floor on its score. The lower of the two is
 * a bound for all plans, scaled here to seconds of the best plan; `boundSeconds`, if known, is another.
 */
export function searchAccount(
  { enumerated, pruned, evaluated, infeasible, unexamined, unbegun, floor }: Tally,
  best: Incumbent | null,
  boundSeconds: Seconds | null,
): SearchAccount {
  const reached = best && best.stepTimeSeconds * Math.min(1, floor / best.score) * (1 - rounding)
  const proven = unexamined > 0 ? Math.max(boundSeconds ?? 0, reached ?? 0) : boundSeconds
  return {
    ...{ enumerated, pruned, evaluated, infeasible, unexamined, unbegun },
    lowerBoundSeconds: proven === 0 ? null : proven,
    gap: proven && best ? best.stepTimeSeconds / proven - 1 : null,
    exact: unexamined === 0,
  }
}

/** What a search that ran out of time left, and by how much at most a plan of it may be better; null where it is exact. */
export function cutText({ exact, unexamined, unbegun, gap }: SearchAccount, isListed = true): string | null {
  if (exact) return null
  const [soFar, unknown] = isListed
    ? ['time ran out, and plans are the best so far', 'by how much one of them may be better is not known']
    : ['time ran out before any plan was found that may be listed', 'whether one of them may is not known']
  const unlisted =
    unbegun > 0
      ? `, where each of ${unbegun} meshes or smaller numbers of chips that were not listed counts as one`
      : ''
  const better =
    gap === null ? unknown : `the best plan is at most ${percent(gap)} worse than one of them could be`
  return `${soFar}: ${counted(unexamined, 'layout')} ${unexamined === 1 ? 'was' : 'were'} not looked at${unlisted}; ${better}; raise timeoutMs`
}
