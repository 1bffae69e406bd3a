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
 * o is the overlap that the assumptions have for the class of a collective. Weights and gradients are prefetchable, less so what moves in
 * every microbatch. All else is waited for: matmuls hide a share of tensor parallelism inside a node, and nothing hides the
 * rest. Qwen3-30B-A3B on 16 H100 hides 0.1 % of what experts are sent, unless microbatches run beside each other, which is
 * an assumption of its own (NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap). Resources
 * work side by side (max over them); collectives on one resource share it (sum).
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { collectiveTime } from '../../hardware/network/collective.ts'
import type { GroupCost } from '../../hardware/network/group-cost.ts'
import { known } from '../../known.ts'
import type { MixtureOfExperts } from '../../model/transformer.ts'
import type { ScheduleRow } from '../../recipe/schedule-row.ts'
import { type AxisSet, axisSet } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Call } from '../compile/call.ts'
import type { Bucket } from '../compile/compile.ts'
import { type Scale, sumTerms } from '../compile/term.ts'
import type { NetworkCosts } from './network.ts'
import { busyFactor, busySeconds, loadsOf, operationTime, rampSeconds } from './operation-time.ts'
import { outerShare, routedSeconds, routedTime } from './routing.ts'

export type Traffic = number[]

export const tensorAxes = axisSet(['tensor', 'tensor2'])

export const exposedAt = 0
export const totalAt = 1
export const firstResource = 2

export function createTraffic(resources: number): Traffic {
  return known(noTraffic, resources, () => {
    // Zeros alone would make an array of small integers, which is copied into one of doubles when it is first added to.
    const seconds = Array.from({ length: firstResource + 2 * resources }, () => 0.5)
    return seconds.fill(0)
  }).slice()
}

/** Copied for each sum: plain arrays are made ten times sooner than typed ones, whose contents lie outside of the heap when there are more than eight. */
const noTraffic = new Map<number, Traffic>()

/** Sets all of it to 0; `fill` of a plain array is no part of what V8 of Node 20 compiles. */
export function cleared(sum: Traffic): Traffic {
  for (let i = 0; i < sum.length; i++) sum[i] = 0
  return sum
}

export function resourcesOf(traffic: Traffic): number {
  return (traffic.length - firstResource) / 2
}

export function addScaled(sum: Traffic, traffic: Traffic, times: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + times * (traffic[i] ?? 0)
}

export function copyTraffic(sum: Traffic, traffic: Traffic): void {
  for (let i = 0; i < sum.length; i++) sum[i] = traffic[i] ?? 0
}

export function addBuckets(
  sum: Traffic,
  buckets: readonly Bucket[],
  scale: Scale,
  costs: NetworkCosts,
  beside: Beside,
): void {
  for (const bucket of buckets) {
    if (!runsOn(bucket, scale)) continue
    const cost = costs[bucket.over]
    if (cost && cost.chips > 1) addCall(sum, bucket, bucketBytes(bucket, scale), cost, beside)
  }
}

/** What of the calls may not overlap: the first of what `addBuckets` sums up. */
export function exposedSeconds(
  buckets: readonly Bucket[],
  scale: Scale,
  costs: NetworkCosts,
  beside: Beside,
): Seconds {
  let seconds = 0
  for (const bucket of buckets) {
    if (!runsOn(bucket, scale)) continue
    const cost = costs[bucket.over]
    if (!cost || cost.chips <= 1) continue
    const time = bucket.times * callTime(bucket, bucketBytes(bucket, scale), cost, beside)
    seconds += (1 - overlapOf(bucket, cost, beside)) * time
  }
  return seconds
}

/** Whether the call is made on the mesh that the scale is for. */
export function runsOn({ held }: Pick<Bucket, 'held'>, scale: Scale): boolean {
  return held === undefined || held === scale.held
}

/** The share of what is sent to experts and back that may hide behind another microbatch. */
export interface RoutedOverlap {
  readonly share: number
  /** The share in layers that are recomputed whole, which frameworks do not run beside other microbatches. */
  readonly recomputed: number
}

export function routedOverlap(
  { hidesRouted, mayHideRouted }: ScheduleRow,
  microbatches: number,
  { overlapPrefetched, overlapExchange: recomputed, overlapDispatch }: Assumptions,
): RoutedOverlap {
  if (hidesRouted) return { share: overlapPrefetched, recomputed: overlapPrefetched }
  const beside = mayHideRouted && microbatches > 1
  return { share: beside ? Math.max(recomputed, overlapDispatch) : recomputed, recomputed }
}

/** What the calls of a window are costed by, and what runs beside them where that matters. */
export interface Beside {
  readonly assumptions: Assumptions
  readonly experts: MixtureOfExperts | null
  /** Share of what is sent to experts and back that may hide, where a schedule allows more than for other calls that are waited for. */
  readonly routedOverlap?: number
  /** Share of the keys that go around a ring that may hide behind the scores of the keys that are already there. */
  readonly passedShare?: number
}

/** Adds one call of so many bytes as its group sees them, in training as in inference. */
export function addCall(
  sum: Traffic,
  call: Call<unknown>,
  bytes: Bytes,
  cost: GroupCost,
  beside: Beside,
): void {
  const { operation, times } = call
  const overlap = overlapOf(call, cost, beside)
  const outer = shareToExperts(call, cost, beside)
  const time = timeBy(outer, operation, bytes, cost)
  const moved = times * bytes * busyFactor(operation, cost)
  addTime(sum, times * time, overlap)
  // The ramp goes to the innermost tier, which is the first.
  const ramp = times * rampSeconds(operation, bytes, cost)
  const loads = loadsOf(operation, cost)
  addBusy(sum, 0, moved * (loads[0] ?? 0) + ramp, overlap)
  const resources = resourcesOf(sum)
  for (let r = 1; r < resources; r++) addBusy(sum, r, moved * ((loads[r] ?? 0) * (outer ?? 1)), overlap)
}

function overlapOf(
  { over, critical, routed, held, passed, gathered }: Call<unknown>,
  cost: GroupCost,
  beside: Beside,
): number {
  const { assumptions, experts, routedOverlap, passedShare = 1 } = beside
  if (routed && routedOverlap !== undefined) return routedOverlap
  // With a single expert nothing is sorted: it is a dense MLP.
  if (critical && held && experts && experts.experts > 1) return assumptions.overlapExchange
  if (critical) return waitedOverlap(over, cost, assumptions)
  const { overlapPrefetched, overlapGathered, expertOverlapGathered } = assumptions
  if (gathered) return Math.min(overlapPrefetched, overlapGathered, experts ? expertOverlapGathered : 1)
  return passed ? overlapPrefetched * passedShare : overlapPrefetched
}

/**
 * A matmul can send what it has made while it makes the rest, but only to chips that it reaches without a network card. Copies of
 * tokens are gathered and summed apart from any (Megatron Core's token dispatchers: gather_from_sequence_parallel_region, no user buffers).
 */
function waitedOverlap(
  over: AxisSet,
  { outerUnits }: GroupCost,
  { overlapCriticalPath, overlapExchange }: Assumptions,
): number {
  const besideMatmuls = (over & ~tensorAxes) === 0 && outerUnits === 1
  return besideMatmuls ? overlapCriticalPath : overlapExchange
}

type Way = Pick<Call<unknown>, 'operation' | 'routed'>

/** Share of the bytes that leaves a node where copies of tokens go once to each; null for all other calls. */
function shareToExperts({ routed }: Way, cost: GroupCost, { experts, assumptions }: Beside): number | null {
  return routed && experts ? outerShare(cost, experts, assumptions) : null
}

export function callTime(call: Way, bytes: Bytes, cost: GroupCost, beside: Beside): Seconds {
  return timeBy(shareToExperts(call, cost, beside), call.operation, bytes, cost)
}

function timeBy(outer: number | null, operation: Way['operation'], bytes: Bytes, cost: GroupCost): Seconds {
  return outer === null ? operationTime(operation, bytes, cost) : routedTime(bytes, cost, outer)
}

/** Seconds that each part of the network is busy with the call. */
export function callBusy(call: Way, bytes: Bytes, cost: GroupCost, beside: Beside): readonly Seconds[] {
  const outer = shareToExperts(call, cost, beside)
  return outer === null ? busySeconds(call.operation, bytes, cost) : routedSeconds(bytes, cost, outer)
}

/** Adds one transfer to the neighbouring stage. */
export function addPermute(sum: Traffic, bytes: Bytes, cost: GroupCost, overlap: number): void {
  addTime(sum, collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor), overlap)
  const resources = resourcesOf(sum)
  for (let r = 0; r < resources; r++) addBusy(sum, r, bytes * (cost.permuteLoads[r] ?? 0), overlap)
}

/** Adds a transfer of arrays to the host or back, on the last resource, which no collective uses. */
export function addHostTransfer(sum: Traffic, time: Seconds, overlap: number): void {
  addTime(sum, time, overlap)
  addBusy(sum, resourcesOf(sum) - 1, time, overlap)
}

function addTime(sum: Traffic, time: Seconds, overlap: number): void {
  sum[exposedAt] = (sum[exposedAt] ?? 0) + (1 - overlap) * time
  sum[totalAt] = (sum[totalAt] ?? 0) + time
}

function addBusy(sum: Traffic, resource: number, busy: Seconds, overlap: number): void {
  const hidden = firstResource + resource
  const all = hidden + resourcesOf(sum)
  sum[hidden] = (sum[hidden] ?? 0) + overlap * busy
  sum[all] = (sum[all] ?? 0) + busy
}

export function bucketBytes({ bytes }: Bucket, scale: Scale): Bytes {
  return sumTerms(bytes, scale)
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
