/**
 * How many instances of each kind a pair needs.
 *
 *   at a rate         as many as meet the objectives with the fewest chips
 *   without a rate    as many as answer the most requests per second in the pool within the objectives; if equal, the
 *                     fewest
 *
 * More instances of a kind never make requests slower (except where prefill and generation then no longer share a
 * node).
 */
import { type Constraint, satisfies } from '../../constraint.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { leastThat, mostThat } from '../../threshold.ts'
import { capacity, meets, type Operation, sustained } from './operation.ts'
import { chipsOf, type Deployment, type Pair } from './pair.ts'
import { holds } from './pool.ts'
import { mostUtilization, type Requests } from './requests.ts'

export interface Sized extends Deployment {
  readonly operation: Operation
  readonly chips: number
  /** Lower is better: chips, or minus the requests per second if no rate is given. */
  readonly score: number
}

/** The available chips, and a constraint on how many of them a deployment may use. */
export interface Pool {
  readonly cluster: Cluster
  readonly chips?: Constraint | undefined
}

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

/** Exactly the given instances, at the requested rate, or at the highest rate that they sustain; null if they miss the objectives. */
function sizedAs(deployment: Deployment, requests: Requests, { cluster }: Pool): Sized | null {
  if (!isHeld(deployment, cluster)) return null
  const { rate } = requests
  const operation = rate === null ? sustained(deployment, requests) : meets(deployment, requests, rate)
  return operation && scored(deployment, operation, requests)
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
  const most = Math.floor((pool.cluster.chips - chipsOf(made(0))) / (chipsOf(made(1)) - chipsOf(made(0))))
  const held = mostThat(most, (count) => isHeld(made(count), pool.cluster))
  const { rate } = requests
  const best = held > 0 ? sizedAs(made(held), requests, pool) : null
  if (!best) return null
  const fewest = leastThat(held, (count) => {
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

const rounding = 1e-12

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
    const room = (best?.chips ?? pool.cluster.chips) - generates * generateChips
    const most = Math.floor(room / prefillChips)
    if (most < firstPrefills) return best
    const more = leastThat(most - firstPrefills + 1, (count) => {
      return meets(deployed(pair, firstPrefills + count - 1, generates), requests, rate) !== null
    })
    if (more === null) continue
    const prefills = firstFrom(firstPrefills + more - 1, most, (count) => {
      return satisfies(count * prefillChips + generates * generateChips, pool.chips)
    })
    const found = prefills && sizedAs(deployed(pair, prefills, generates), requests, pool)
    if (found && (!best || precedes(found, best))) best = found
  }
}

function firstFrom(from: number, to: number, holdsOf: (count: number) => boolean): number | null {
  for (let count = from; count <= to; count++) if (holdsOf(count)) return count
  return null
}

function scored(deployment: Deployment, operation: Operation, { rate }: Requests): Sized {
  const chips = chipsOf(deployment)
  return { ...deployment, operation, chips, score: rate === null ? -operation.rate : chips }
}

function filling(pair: Pair, requests: Requests, pool: Pool, worst: number): Sized | null {
  let best: Sized | null = null
  for (const [prefills, generates] of roomFor(pair, pool)) {
    const least = -capacity({ pair, prefills, generates })
    if (isOver(least, worst) || (best && least > best.score * (1 - rounding))) break
    const deployment = mostHeld(pair, prefills, generates, pool)
    const found = deployment && sizedAs(deployment, requests, pool)
    const smaller = found && withoutIdle(found, requests, pool)
    if (smaller && (!best || precedes(smaller, best))) best = smaller
  }
  return best
}

/** Numbers of instances that the chips are enough for, by descending capacity. */
function roomFor(pair: Pair, pool: Pool): Iterable<readonly [number, number]> {
  return pair.disaggregated ? roomApart(pair, pool) : roomTogether(pair, pool)
}

function* roomTogether({ generate }: Pair, { cluster }: Pool): Iterable<readonly [number, number]> {
  for (let count = Math.floor(cluster.chips / generate.size.cluster.chips); count > 0; count--) {
    yield [count, count]
  }
}

/**
 * For each number of generate instances, as many prefill instances as the remaining chips hold. More generate instances
 * leave fewer to prefill, so that the request rate falls on both sides of the point where the two keep up with each
 * other: pairs are yielded from there outward, by descending rate.
 */
function* roomApart(pair: Pair, { cluster }: Pool): Iterable<readonly [number, number]> {
  const prefillChips = pair.prefill.size.cluster.chips
  const generateChips = pair.generate.size.cluster.chips
  const room = (generates: number) => Math.floor((cluster.chips - generates * generateChips) / prefillChips)
  const most = Math.floor((cluster.chips - prefillChips) / generateChips)
  const rate = (generates: number) =>
    Math.min(room(generates) * pair.prefillCapacity, generates * pair.generateCapacity)
  let more =
    leastThat(most, (count) => count * pair.generateCapacity >= room(count) * pair.prefillCapacity) ?? most
  let fewer = more - 1
  while (fewer > 0 || more <= most) {
    const next = fewer < 1 || (more <= most && rate(more) >= rate(fewer)) ? more++ : fewer--
    yield [room(next), next]
  }
}

/** The deployment with the most prefill instances, up to `prefills`, that fit into nodes and slices and that the constraint on chips allows. */
function mostHeld(pair: Pair, prefills: number, generates: number, pool: Pool): Deployment | null {
  for (let count = prefills; count > 0; count--) {
    const deployment = deployed(pair, count, generates)
    if (satisfies(chipsOf(deployment), pool.chips) && isHeld(deployment, pool.cluster)) return deployment
    if (!pair.disaggregated) return null
  }
  return null
}

/** Removes prefill instances that do not improve the score. */
function withoutIdle(found: Sized, requests: Requests, pool: Pool): Sized {
  const { pair, prefills, generates, score } = found
  if (!pair.disaggregated) return found
  const alikeWith = (count: number): Sized | null => {
    const fewer = deployed(pair, count, generates)
    if (-capacity(fewer) > score * (1 - 2 * rounding)) return null
    if (!satisfies(chipsOf(fewer), pool.chips)) return null
    const own = sizedAs(fewer, requests, pool)
    return own && alike(own.score, score) ? own : null
  }
  const fewest = leastThat(prefills, (count) => alikeWith(count) !== null)
  return (fewest && alikeWith(fewest)) || found
}

/** Higher by more than rounding; an equal score may still win by shorter requests. */
export function isOver(least: number, limit: number): boolean {
  return least > limit + rounding * Math.abs(limit)
}

function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= rounding * Math.abs(a)
}

function deployed(pair: Pair, prefills: number, generates: number): Deployment {
  return { pair, prefills, generates }
}

function isHeld({ pair, prefills, generates }: Deployment, pool: Cluster): boolean {
  const generating = { cluster: pair.generate.size.cluster, count: generates }
  if (!pair.disaggregated) return holds(pool, [generating])
  return holds(pool, [{ cluster: pair.prefill.size.cluster, count: prefills }, generating])
}

/** Orders deployments by score, then by chips, then by the time of a request. */
export function precedes(a: Sized, b: Sized): boolean {
  if (!alike(a.score, b.score)) return a.score < b.score
  if (a.chips !== b.chips) return a.chips < b.chips
  return a.operation.requestSeconds < b.operation.requestSeconds
}
