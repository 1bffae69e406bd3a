/**
 * How many instances of each kind a pair needs.
 *
 *   at a rate         as many as meet the objectives with the fewest chips
 *   without a rate    as many as answer the most requests per second in the pool within the objectives; if equal, the
 *                     fewest
 *
 * More instances of a kind never make requests slower, but where prefill and generation then no longer share a node: numbers are looked for
 * within each size of deployment up to which they share one alike.
 */
import { satisfies } from '../../constraint.ts'
import { leastThat, mostThat } from '../../threshold.ts'
import { filling } from './filling.ts'
import { meets } from './operation.ts'
import { chipsOf, type Deployment, type Pair } from './pair.ts'
import { mostUtilization, type Requests } from './requests.ts'
import {
  alike,
  deployed,
  isHeld,
  type Pool,
  precedes,
  rounding,
  type Sized,
  sizedAs,
  sizesAlike,
} from './sized.ts'

/** The best numbers of instances; null if no deployment in the pool meets the objectives, or none scores `worst` or better. */
export function sized(
  pair: Pair,
  requests: Requests,
  pool: Pool,
  worst = Number.POSITIVE_INFINITY,
): Sized | null {
  if (requests.rate === null) return filling(pair, requests, pool, worst)
  return pair.disaggregated
    ? fewestApart(pair, requests, pool, requests.rate)
    : fewestTogether(pair, requests, pool, requests.rate)
}

export interface Counts {
  readonly prefills?: number | undefined
  readonly generates?: number | undefined
}

/**
 * Uses the numbers of instances that are written, and chooses those that are left out. Null if a pair that shares chips is
 * given two numbers that differ: there is one number of such servers.
 */
export function sizedWith(
  pair: Pair,
  { prefills, generates }: Counts,
  requests: Requests,
  pool: Pool,
): Sized | null {
  if (prefills === undefined && generates === undefined) return sized(pair, requests, pool)
  if (!pair.disaggregated) {
    const written = prefills ?? generates ?? 1
    if (written !== (generates ?? written)) return null
    return sizedAs(deployed(pair, written, written), requests, pool)
  }
  const made = (count: number) => deployed(pair, prefills ?? count, generates ?? count)
  if (prefills !== undefined && generates !== undefined) return sizedAs(made(1), requests, pool)
  const chipsOfNone = chipsOf(made(0))
  const mostOf = (chips: number) => Math.floor((chips - chipsOfNone) / (chipsOf(made(1)) - chipsOfNone))
  let best: Sized | null = null
  let fewer = 0
  for (const chips of sizesAlike(pair, pool)) {
    const held = mostThat(mostOf(chips) - fewer, (more) => isHeld(made(fewer + more), pool.cluster))
    const found = fewestOf(held, (more) => made(fewer + more), requests, pool)
    if (found && (!best || precedes(found, best))) best = found
    fewer = Math.max(fewer, mostOf(chips))
  }
  return best
}

/** Of up to `most` numbers, of which more never make requests slower, the best; if equal, the fewest. */
function fewestOf(
  most: number,
  made: (count: number) => Deployment,
  requests: Requests,
  pool: Pool,
): Sized | null {
  const { rate } = requests
  const best = most > 0 ? sizedAs(made(most), requests, pool) : null
  if (!best) return null
  const fewest = leastThat(most, (count) => {
    if (rate !== null) return meets(made(count), requests, rate) !== null
    return alike(sizedAs(made(count), requests, pool)?.score ?? 0, best.score)
  })
  return (fewest && sizedAs(made(fewest), requests, pool)) || best
}

/** Lower bound of the score of all deployments of a pair. */
export function leastScore(pair: Pair, { rate }: Requests, { cluster }: Pool): number {
  const { prefill, generate, disaggregated, prefillCapacity, generateCapacity } = pair
  const prefillChips = disaggregated ? prefill.size.cluster.chips : 0
  const generateChips = generate.size.cluster.chips
  if (rate === null) {
    const chipsOfOne = prefillChips / prefillCapacity + generateChips / generateCapacity
    return (-mostUtilization * cluster.chips) / chipsOfOne
  }
  return prefillChips * least(rate, prefillCapacity) + generateChips * least(rate, generateCapacity)
}

function least(rate: number, capacity: number): number {
  return Math.max(1, Math.ceil((rate / (mostUtilization * capacity)) * (1 - rounding)))
}

function fewestTogether(pair: Pair, requests: Requests, pool: Pool, rate: number): Sized | null {
  const own = pair.generate.size.cluster.chips
  const most = Math.floor(pool.cluster.chips / own)
  const first = least(rate, pair.generateCapacity)
  const more = leastThat(most - first + 1, (count) => {
    const deployment = deployed(pair, first + count - 1, first + count - 1)
    return meets(deployment, requests, rate) !== null
  })
  if (more === null) return null
  const count = firstFrom(first + more - 1, most, (instances) => satisfies(instances * own, pool.chips))
  return count === null ? null : sizedAs(deployed(pair, count, count), requests, pool)
}

function fewestApart(pair: Pair, requests: Requests, pool: Pool, rate: number): Sized | null {
  const prefillChips = pair.prefill.size.cluster.chips
  const generateChips = pair.generate.size.cluster.chips
  const firstPrefills = least(rate, pair.prefillCapacity)
  let best: Sized | null = null
  for (let generates = least(rate, pair.generateCapacity); ; generates++) {
    const mostOf = (chips: number) => Math.floor((chips - generates * generateChips) / prefillChips)
    if (mostOf(best?.chips ?? pool.cluster.chips) < firstPrefills) return best
    let first = firstPrefills
    for (const chips of sizesAlike(pair, pool)) {
      const most = mostOf(Math.min(chips, best?.chips ?? chips))
      const from = first
      first = Math.max(first, most + 1)
      const more = leastThat(most - from + 1, (count) => {
        return meets(deployed(pair, from + count - 1, generates), requests, rate) !== null
      })
      if (more === null) continue
      const prefills = firstFrom(from + more - 1, most, (count) => {
        return satisfies(count * prefillChips + generates * generateChips, pool.chips)
      })
      const found = prefills && sizedAs(deployed(pair, prefills, generates), requests, pool)
      if (found && (!best || precedes(found, best))) best = found
      if (found) break
    }
  }
}

function firstFrom(from: number, to: number, holdsOf: (count: number) => boolean): number | null {
  for (let count = from; count <= to; count++) if (holdsOf(count)) return count
  return null
}
