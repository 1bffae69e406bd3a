/**
 * The communication of a window, added up as a vector of seconds so that windows of several layers sum:
 *
 *   [0] exposed   what may not overlap with compute: (1 - o) of each collective's own time
 *   [1] total     the own times of all collectives, one after another
 *   then, per resource of the network, what may overlap: o of the time it is busy,
 *   then, per resource, all the time it is busy.
 *
 * A resource is a part of the network, or the link to the host.
 *
 * o is the assumptions' overlap for the class: prefetchable (weights, gradients), or waited for, which matmuls hide of tensor
 * parallelism inside a node and nothing of the rest: Qwen3-30B-A3B on 16 H100 hides 0.1 % of what experts are sent, unless microbatches
 * are run beside each other (NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap). Resources
 * work side by side (max over them); collectives on one resource share it (sum).
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { collectiveTime } from '../../hardware/network/collective.ts'
import type { GroupCost } from '../../hardware/network/group-cost.ts'
import type { MixtureOfExperts } from '../../model/transformer.ts'
import { type AxisSet, axisSet } from '../../sharding/axis.ts'
import type { Operation } from '../../sharding/move.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Bucket } from '../compile/compile.ts'
import { type Scale, termValue } from '../compile/term.ts'
import type { NetworkCosts } from './network.ts'
import { busyFactor, busySeconds, loadsOf, operationTime, rampSeconds } from './operation-time.ts'
import { outerShare, routedLoads, routedSeconds, routedTime } from './routing.ts'

export type Traffic = Float64Array

export const tensorAxes = axisSet(['tensor', 'tensor2'])

export const exposedAt = 0
export const totalAt = 1
export const firstResource = 2

export function createTraffic(resources: number): Traffic {
  return new Float64Array(firstResource + 2 * resources)
}

export function resourcesOf(traffic: Traffic): number {
  return (traffic.length - firstResource) / 2
}

export function addScaled(sum: Traffic, traffic: Traffic, times: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + times * (traffic[i] ?? 0)
}

export function addBuckets(
  sum: Traffic,
  buckets: readonly Bucket[],
  scale: Scale,
  costs: NetworkCosts,
  assumptions: Assumptions,
  { experts = null, hidesRouted = false, passedShare = 1 }: Beside = {},
): void {
  for (const bucket of buckets) {
    const cost = costs[bucket.over]
    if (!cost || cost.chips === 1) continue
    const waitedFor = bucket.critical && !(hidesRouted && bucket.routed)
    const bytes = bucketBytes(bucket, scale)
    const hides = waitedFor
      ? waitedOverlap(bucket.over, cost, assumptions, assumptions.overlapCriticalPath)
      : assumptions.overlapPrefetched
    const overlap = bucket.passed ? hides * passedShare : hides
    if (bucket.routed && experts) {
      addRouted(sum, bytes, cost, overlap, experts, assumptions, bucket.times)
    } else addCollective(sum, bucket.operation, bytes, cost, overlap, bucket.times)
  }
}

/** A matmul sends what it has made while it makes the rest, to whom it reaches without a network card: of that `ofMatmuls` hides. */
export function waitedOverlap(
  over: AxisSet,
  { outerUnits }: GroupCost,
  { overlapExchange }: Assumptions,
  ofMatmuls: number,
): number {
  const besideMatmuls = (over & ~tensorAxes) === 0 && outerUnits === 1
  return besideMatmuls ? ofMatmuls : overlapExchange
}

/** What runs beside the collectives of a window, as far as it matters to them. */
export interface Beside {
  readonly experts?: MixtureOfExperts | null
  /** Tokens on their way to experts and back overlap as what is prefetched does (recipe/schedules.ts). */
  readonly hidesRouted?: boolean
  /** Of the keys that go around a ring what may hide: they do so behind the scores of those that are there. */
  readonly passedShare?: number
}

export function bucketTime(
  bucket: Pick<Bucket, 'operation' | 'routed'>,
  bytes: Bytes,
  cost: GroupCost,
  assumptions: Assumptions,
  experts: MixtureOfExperts | null,
): Seconds {
  if (!bucket.routed || !experts) return operationTime(bucket.operation, bytes, cost)
  return routedTime(bytes, cost, routedLoads(cost, outerShare(cost, experts, assumptions)))
}

/** Seconds that each part of the network is busy with it. */
export function bucketBusy(
  bucket: Pick<Bucket, 'operation' | 'routed'>,
  bytes: Bytes,
  cost: GroupCost,
  assumptions: Assumptions,
  experts: MixtureOfExperts | null,
): readonly Seconds[] {
  if (!bucket.routed || !experts) return busySeconds(bucket.operation, bytes, cost)
  return routedSeconds(bytes, cost, routedLoads(cost, outerShare(cost, experts, assumptions)))
}

/** One collective of an array of so many bytes as its group sees it, so often. */
export function addCollective(
  sum: Traffic,
  operation: Operation,
  bytes: Bytes,
  cost: GroupCost,
  overlap: number,
  times = 1,
): void {
  const time = times * operationTime(operation, bytes, cost)
  const moved = times * bytes * busyFactor(operation, cost)
  addBusy(sum, time, moved, loadsOf(operation, cost), overlap, times * rampSeconds(operation, bytes, cost))
}

/** Copies of tokens on their way to experts or back. */
export function addRouted(
  sum: Traffic,
  bytes: Bytes,
  cost: GroupCost,
  overlap: number,
  experts: MixtureOfExperts,
  assumptions: Assumptions,
  times = 1,
): void {
  const loads = routedLoads(cost, outerShare(cost, experts, assumptions))
  const ramp = times * rampSeconds('AllToAll', bytes, cost)
  addBusy(sum, times * routedTime(bytes, cost, loads), times * bytes, loads, overlap, ramp)
}

/** One transfer to the neighbouring stage. */
export function addPermute(sum: Traffic, bytes: Bytes, cost: GroupCost, overlap: number): void {
  const time = collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor)
  addBusy(sum, time, bytes, cost.permuteLoads, overlap)
}

/** Arrays to the host or back: the last resource, which no collective uses. */
export function addHostTransfer(sum: Traffic, time: Seconds, overlap: number): void {
  const resources = resourcesOf(sum)
  const hidden = firstResource + resources - 1
  sum[exposedAt] = (sum[exposedAt] ?? 0) + (1 - overlap) * time
  sum[totalAt] = (sum[totalAt] ?? 0) + time
  sum[hidden] = (sum[hidden] ?? 0) + overlap * time
  sum[hidden + resources] = (sum[hidden + resources] ?? 0) + time
}

/** `ramp` is on the innermost tier, the first resource. */
function addBusy(
  sum: Traffic,
  time: Seconds,
  bytes: Bytes,
  loads: readonly number[],
  overlap: number,
  ramp: Seconds = 0,
): void {
  const resources = resourcesOf(sum)
  sum[exposedAt] = (sum[exposedAt] ?? 0) + (1 - overlap) * time
  sum[totalAt] = (sum[totalAt] ?? 0) + time
  for (let r = 0; r < resources; r++) {
    const busy = bytes * (loads[r] ?? 0) + (r === 0 ? ramp : 0)
    const hidden = firstResource + r
    sum[hidden] = (sum[hidden] ?? 0) + overlap * busy
    sum[hidden + resources] = (sum[hidden + resources] ?? 0) + busy
  }
}

export function bucketBytes(bucket: Bucket, scale: Scale): Bytes {
  let bytes = 0
  for (const term of bucket.bytes) bytes += termValue(term, scale)
  return bytes
}

/**
 * The time of a window: compute beside communication.
 *
 *   expected  max(C, busiest resource's overlappable share) + what may not overlap
 *   lower     max(C, busiest resource)            everything overlaps
 *   upper     C + all of it                       nothing does
 */
export type Bound = 'expected' | 'lower' | 'upper'

export function windowTime(compute: Seconds, traffic: Traffic, bound: Bound): Seconds {
  if (bound === 'upper') return compute + (traffic[totalAt] ?? 0)
  const resources = resourcesOf(traffic)
  const first = bound === 'lower' ? firstResource + resources : firstResource
  let longest = compute
  for (let r = 0; r < resources; r++) longest = Math.max(longest, traffic[first + r] ?? 0)
  return bound === 'lower' ? longest : longest + (traffic[exposedAt] ?? 0)
}
