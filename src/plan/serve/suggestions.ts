/** Changes of a request, but for its limits, with each of which a deployment was found that meets them. */
import { mostOf } from '../../constraint.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import type { ServeProblem } from '../../problem.ts'
import type { Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import { largerHardware } from '../no-plan/larger-hardware.ts'
import { chipsBought, doubled } from '../no-plan/resource-suggestions.ts'
import { narrowerTypes } from '../no-plan/served-suggestions.ts'

/** A request, and what is tried in its place. */
export interface Tries {
  readonly problem: ServeProblem
  readonly requests: Requests
  /** The best deployment for changed requests, or for a changed problem. */
  readonly best: (requests: Requests, problem?: ServeProblem) => Sized | null
}

/** Suggests at most this many times the pool. */
const mostPools = 64

/** Skips pools that are far too small, judging by the highest rate that the present one meets. */
export function poolSuggestion(
  { problem, requests, best }: Tries,
  highestRate: number | null,
): Suggestion | null {
  const { chip, chips } = problem.cluster
  // More chips that a deployment may not take are no help: what lifts the constraint is told beside it.
  if (mostOf(problem.constraints.chips ?? {}) <= chips) return null
  const short = highestRate && requests.rate ? requests.rate / highestRate / 2 : 0
  const poolOf = (count: number) => {
    const larger = largerHardware(problem, count)
    const found = larger && best(requests, { ...problem, cluster: larger.cluster })
    return found && { ...larger, count, taken: found.chips }
  }
  return doubled(chips, mostPools, (pool) => {
    const most = pool / chips < short ? null : poolOf(pool)
    if (!most) return null
    // What it takes, in whole nodes, is most often enough of a pool.
    const whole = Math.ceil(most.taken / chipsBought(chip)) * chipsBought(chip)
    const least = whole > chips && whole < most.count ? poolOf(whole) : null
    const { pointer, value, shape, count, taken } = least ?? most
    const of = taken === count ? 'all of them' : `${taken}`
    const detail = `a pool of ${counted(count, 'chip')}${shape}, of which a deployment takes ${of}`
    return { change: 'more chips', pointer, value, detail }
  })
}

export function sharingSuggestion({ problem, requests, best }: Tries): Suggestion | null {
  const { workload } = problem
  if (workload.disaggregated === 'auto') return null
  const found = best(requests, { ...problem, workload: { ...workload, disaggregated: 'auto' } })
  if (!found) return null
  const kind = workload.disaggregated ? 'both phases on the same chips' : 'prefill and generation apart'
  return {
    change: kind,
    pointer: '/workload/disaggregated',
    value: 'auto',
    detail: `${counted(found.chips, 'chip')} meet the objectives so`,
  }
}

export function precisionSuggestions({ problem, requests, best }: Tries): readonly Suggestion[] {
  return narrowerTypes(problem, ['weights'], (precision) => {
    const found = best(requests, { ...problem, precision })
    return found && `a deployment takes ${counted(found.chips, 'chip')}`
  })
}
