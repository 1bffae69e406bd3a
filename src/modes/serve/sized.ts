/** A deployment with numbers of instances in a pool: how well it does, and which of two does better. */
import type { Constraint } from '../../constraint.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { meets, type Operation, sustained } from './operation.ts'
import { chipsOf, type Deployment, type Pair } from './pair.ts'
import { holds } from './pool.ts'
import type { Requests } from './requests.ts'
import { joinedAlike } from './transfer.ts'

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

/** Exactly the given instances, at the requested rate, or at the highest rate that they sustain; null if they miss the objectives. */
export function sizedAs(deployment: Deployment, requests: Requests, { cluster }: Pool): Sized | null {
  if (!isHeld(deployment, cluster)) return null
  const { rate } = requests
  const operation = rate === null ? sustained(deployment, requests) : meets(deployment, requests, rate)
  return operation && scored(deployment, operation, requests)
}

function scored(deployment: Deployment, operation: Operation, { rate }: Requests): Sized {
  const chips = chipsOf(deployment)
  return { ...deployment, operation, chips, score: rate === null ? -operation.rate : chips }
}

/** Numbers of chips up to which deployments in the pool send caches at one bandwidth. */
export function sizesAlike({ prefill, disaggregated }: Pair, { cluster }: Pool): readonly number[] {
  const { chips } = cluster
  if (!disaggregated) return [chips]
  const within = joinedAlike(prefill.size.bench.setting.cluster).map((most) => Math.min(most, chips))
  return [...new Set(within)]
}

/** Higher by more than rounding; an equal score may still win by shorter requests. */
export function isOver(least: number, limit: number): boolean {
  return least > limit + rounding * Math.abs(limit)
}

export function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= rounding * Math.abs(a)
}

export function deployed(pair: Pair, prefills: number, generates: number): Deployment {
  return { pair, prefills, generates }
}

export function isHeld({ pair, prefills, generates }: Deployment, pool: Cluster): boolean {
  const generating = { cluster: pair.generate.size.cluster, count: generates }
  if (!pair.disaggregated) return holds(pool, [generating])
  return holds(pool, [{ cluster: pair.prefill.size.cluster, count: prefills }, generating])
}

/**
 * Orders deployments by score, then by chips, then by the time of a request; of those that are alike by all of these, as two servers may launch
 * one and hold more or fewer sequences beyond those that run, the one with more room comes first, in whatever order they are found.
 */
export function precedes(a: Sized, b: Sized): boolean {
  if (!alike(a.score, b.score)) return a.score < b.score
  if (a.chips !== b.chips) return a.chips < b.chips
  const [own, other] = [a.operation.requestSeconds, b.operation.requestSeconds]
  return own === other ? a.pair.slots > b.pair.slots : own < other
}

/** Relative difference of scores that comes from the order of summation alone. */
export const rounding = 1e-12
