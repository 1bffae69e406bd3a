/**
 * How many instances a pair takes.
 *
 *   at a rate         the fewest chips with which the objectives are met
 *   without a rate    the most requests a second and chip, within the objectives; of deployments alike, the smallest
 *
 * More instances of a kind never make requests slower (but for prefill and generation that no longer share a node).
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { leastThat } from '../../threshold.ts'
import { meets, type Operation, sustained } from './operation.ts'
import { chipsOf, type Deployment, type Pair } from './pair.ts'
import { holds } from './pool.ts'
import { mostUtilization, type Requests } from './requests.ts'

export interface Sized extends Deployment {
  readonly operation: Operation
  readonly chips: number
  /** Less is better: chips, or minus the requests a second of a chip. */
  readonly score: number
}

/** Null where the pool has no deployment of the pair that meets the objectives. */
export function sized(pair: Pair, requests: Requests, pool: Cluster): Sized | null {
  if (requests.rate === null) return mostPerChip(pair, requests, pool)
  return pair.disaggregated
    ? fewestApart(pair, requests, pool, requests.rate)
    : fewestTogether(pair, requests, pool, requests.rate)
}

/** No deployment of a pair scores lower. */
export function leastScore(pair: Pair, { rate }: Requests): number {
  const { prefill, generate, disaggregated, prefillCapacity, generateCapacity } = pair
  const prefillChips = disaggregated ? prefill.size.cluster.chips : 0
  const generateChips = generate.size.cluster.chips
  if (rate === null) {
    return -mostUtilization / (prefillChips / prefillCapacity + generateChips / generateCapacity)
  }
  return prefillChips * least(rate, prefillCapacity) + generateChips * least(rate, generateCapacity)
}

function least(rate: number, capacity: number): number {
  return Math.max(1, Math.ceil((rate / (mostUtilization * capacity)) * (1 - rounding)))
}

const rounding = 1e-12

function fewestTogether(pair: Pair, requests: Requests, pool: Cluster, rate: number): Sized | null {
  const most = Math.floor(pool.chips / pair.generate.size.cluster.chips)
  const first = least(rate, pair.generateCapacity)
  const more = leastThat(most - first + 1, (count) => {
    const deployment = deployed(pair, first + count - 1, first + count - 1)
    return meets(deployment, requests, rate) !== null
  })
  return more === null
    ? null
    : sizedAt(deployed(pair, first + more - 1, first + more - 1), requests, pool, rate)
}

function fewestApart(pair: Pair, requests: Requests, pool: Cluster, rate: number): Sized | null {
  const prefillChips = pair.prefill.size.cluster.chips
  const generateChips = pair.generate.size.cluster.chips
  const firstPrefills = least(rate, pair.prefillCapacity)
  let best: Sized | null = null
  for (let generates = least(rate, pair.generateCapacity); ; generates++) {
    const room = (best?.chips ?? pool.chips) - generates * generateChips
    const most = Math.floor(room / prefillChips)
    if (most < firstPrefills) return best
    const more = leastThat(most - firstPrefills + 1, (count) => {
      return meets(deployed(pair, firstPrefills + count - 1, generates), requests, rate) !== null
    })
    if (more === null) continue
    const found = sizedAt(deployed(pair, firstPrefills + more - 1, generates), requests, pool, rate)
    if (found && (!best || precedes(found, best))) best = found
  }
}

function sizedAt(deployment: Deployment, requests: Requests, pool: Cluster, rate: number): Sized | null {
  const operation = isHeld(deployment, pool) ? meets(deployment, requests, rate) : null
  const chips = chipsOf(deployment)
  return operation && { ...deployment, operation, chips, score: chips }
}

/** A unit of deployment has no more instances than this; a larger one is several of it. */
const mostInstances = 64

function mostPerChip(pair: Pair, requests: Requests, pool: Cluster): Sized | null {
  const options = pair.disaggregated ? countsApart(pair, pool) : countsTogether(pair, pool)
  let best: Sized | null = null
  for (const { deployment, chips, bound } of options) {
    if (best && bound >= best.score * (1 - rounding)) break
    if (!isHeld(deployment, pool)) continue
    const operation = sustained(deployment, requests)
    if (!operation) continue
    const found = { ...deployment, operation, chips, score: -operation.rate / chips }
    if (!best || found.score < best.score * (1 + rounding)) best = found
  }
  return best
}

interface Option {
  readonly deployment: Deployment
  readonly chips: number
  readonly bound: number
}

function countsTogether(pair: Pair, pool: Cluster): readonly Option[] {
  const most = Math.min(mostInstances, Math.floor(pool.chips / pair.generate.size.cluster.chips))
  return Array.from({ length: most }, (_, at) => option(deployed(pair, at + 1, at + 1)))
}

function countsApart(pair: Pair, pool: Cluster): readonly Option[] {
  const prefillChips = pair.prefill.size.cluster.chips
  const generateChips = pair.generate.size.cluster.chips
  const found: Option[] = []
  for (let prefills = 1; prefills < mostInstances; prefills++) {
    const room = Math.floor((pool.chips - prefills * prefillChips) / generateChips)
    for (let generates = 1; generates <= Math.min(room, mostInstances - prefills); generates++) {
      found.push(option(deployed(pair, prefills, generates)))
    }
  }
  // Multiples of one unit differ by rounding alone: they come by their chips.
  return found.sort((a, b) => (alike(a.bound, b.bound) ? a.chips - b.chips : a.bound - b.bound))
}

function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= rounding * Math.abs(a)
}

function option(deployment: Deployment): Option {
  const { pair, prefills, generates } = deployment
  const chips = chipsOf(deployment)
  const rate = mostUtilization * Math.min(prefills * pair.prefillCapacity, generates * pair.generateCapacity)
  return { deployment, chips, bound: -rate / chips }
}

function deployed(pair: Pair, prefills: number, generates: number): Deployment {
  return { pair, prefills, generates }
}

function isHeld({ pair, prefills, generates }: Deployment, pool: Cluster): boolean {
  const generating = { cluster: pair.generate.size.cluster, count: generates }
  if (!pair.disaggregated) return holds(pool, [generating])
  return holds(pool, [{ cluster: pair.prefill.size.cluster, count: prefills }, generating])
}

/** Fewer chips, then sooner done. */
export function precedes(a: Sized, b: Sized): boolean {
  if (!alike(a.score, b.score)) return a.score < b.score
  return a.operation.requestSeconds < b.operation.requestSeconds
}
