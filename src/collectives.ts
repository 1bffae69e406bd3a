/** One collective on one group of chips: what POST /collectives answers. */
import type { Assumptions } from './assumptions/assumptions.ts'
import { latencySeconds, transferSeconds } from './cost/communication/operation-time.ts'
import type { Cluster, TorusNetwork } from './hardware/cluster/cluster.ts'
import { divisorsOf } from './hardware/cluster/divisors.ts'
import { factorings } from './hardware/cluster/factorings.ts'
import { finished, groupCost } from './hardware/network/collective.ts'
import type { Group, TorusGroup } from './hardware/network/group.ts'
import type { GroupCost } from './hardware/network/group-cost.ts'
import { closes } from './hardware/network/torus-collective.ts'
import type { CollectiveLine } from './plan/plan.ts'
import type { Bytes, BytesPerSecond, Seconds } from './units.ts'

export interface CollectiveQuery {
  readonly cluster: Cluster
  readonly op: CollectiveLine['op']
  /** The whole array as the group sees it: gathered, or not yet reduced. For a Permute, what one chip sends. */
  readonly bytes: Bytes
  readonly over:
    | { readonly physical: readonly number[] }
    | { readonly groupSize: number; readonly stride?: number }
  readonly assumptions: Assumptions
}

export interface CollectiveEstimate {
  readonly seconds: Seconds
  readonly bound: 'bandwidth' | 'latency'
  readonly bandwidthSeconds: Seconds
  readonly latencySeconds: Seconds
  readonly effectiveBytesPerSecond: BytesPerSecond
  readonly wraps: boolean
  /** `ici`, `dcn`, or the name of the slowest tier. */
  readonly tier: string
}

type Refusal = { readonly problem: { readonly pointer: string; readonly detail: string } }

export function collectiveEstimate(query: CollectiveQuery): CollectiveEstimate | Refusal {
  const { cluster, op, bytes, assumptions } = query
  const group = groupOf(query)
  if ('problem' in group) return group
  const cost = groupCost(cluster.network, group, assumptions)
  const { bandwidth: bandwidthSeconds, latency } = timesOf(op, bytes, cost)
  const seconds = cost.chips === 1 ? 0 : finished(bandwidthSeconds, latency, cost.latencyIsFloor)
  return {
    seconds,
    bound: latency > bandwidthSeconds ? 'latency' : 'bandwidth',
    bandwidthSeconds,
    latencySeconds: latency,
    effectiveBytesPerSecond: seconds > 0 ? bytes / seconds : 0,
    wraps: group.kind === 'torus' && cluster.network.kind === 'torus' && ring(cluster.network, group),
    tier: slowestTier(cluster, cost),
  }
}

function timesOf(
  op: CollectiveQuery['op'],
  bytes: Bytes,
  cost: GroupCost,
): { readonly bandwidth: Seconds; readonly latency: Seconds } {
  if (op === 'Permute') return { bandwidth: bytes * cost.permutePerByte, latency: cost.permuteLatency }
  return { bandwidth: transferSeconds(op, bytes, cost), latency: latencySeconds(op, cost) }
}

function groupOf({ cluster, over, assumptions }: CollectiveQuery): Group | Refusal {
  const { network, chips } = cluster
  if (network.kind === 'switched') {
    if ('physical' in over)
      return refusal('/over/physical', 'a switched network has no physical axes: give groupSize')
    const { groupSize, stride = 1 } = over
    if (groupSize * stride > chips && groupSize > 1) {
      return refusal(
        '/over/groupSize',
        `${groupSize} chips ${stride} apart reach beyond the ${chips} there are`,
      )
    }
    return { kind: 'switched', spans: groupSize > 1 ? [{ size: groupSize, stride }] : [] }
  }
  return 'physical' in over ? wholeAxes(network, over.physical) : partOfTorus(network, over, assumptions)
}

function wholeAxes(network: TorusNetwork, physical: readonly number[]): Group | Refusal {
  const missing = physical.find((axis) => network.topology[axis] === undefined)
  if (missing !== undefined) {
    return refusal(
      '/over/physical',
      `there is no physical axis ${missing}: the slice has 0 to ${network.topology.length - 1}`,
    )
  }
  if (new Set(physical).size < physical.length) return refusal('/over/physical', 'names an axis twice')
  const parts = physical.map((axis) => ({ physical: axis, size: network.topology[axis] ?? 1, stride: 1 }))
  return acrossSlices(parts, 1)
}

/**
 * With a stride, the group lies on the first physical axis that holds it; without one, it lies in the way that gathers fastest, in as few
 * slices as hold it. A stride of a whole slice is one chip in each.
 */
function partOfTorus(
  network: TorusNetwork,
  { groupSize, stride }: { readonly groupSize: number; readonly stride?: number },
  assumptions: Assumptions,
): Group | Refusal {
  const { topology, slices } = network
  const inSlice = topology.reduce((chips, length) => chips * length, 1)
  if (stride === inSlice && stride > 1 && groupSize <= slices) return acrossSlices([], groupSize)
  if (stride !== undefined && stride > 1) {
    const physical = topology.findIndex((length) => length % (groupSize * stride) === 0)
    if (physical < 0) {
      const onceASlice = slices > 1 ? `; ${inSlice} apart is one chip in each of the ${slices} slices` : ''
      return refusal(
        '/over/stride',
        `no physical axis of ${topology.join('x')} has ${groupSize} chips ${stride} apart${onceASlice}`,
      )
    }
    return { kind: 'torus', parts: [{ physical, size: groupSize, stride }], slices: 1 }
  }
  if (groupSize > inSlice * slices) {
    return refusal('/over/groupSize', `${groupSize} chips are more than the ${inSlice * slices} there are`)
  }
  const spread = divisorsOf(groupSize).find(
    (count) => count <= slices && groupsIn(network, groupSize, count).length > 0,
  )
  const [first, ...others] = spread === undefined ? [] : groupsIn(network, groupSize, spread)
  if (!first) {
    const many = slices > 1 ? `, in any of its ${slices} slices,` : ''
    return refusal(
      '/over/groupSize',
      `no parts of the axes of ${topology.join('x')}${many} multiply to ${groupSize}`,
    )
  }
  const time = (group: Group) => groupCost(network, group, assumptions).perByte
  return others.reduce((best, group) => (time(group) < time(best) ? group : best), first)
}

/** The ways in which so many chips lie with as many in each of some slices, by which they divide. */
function groupsIn({ topology }: TorusNetwork, groupSize: number, slices: number): readonly TorusGroup[] {
  return factorings(groupSize / slices, topology).map((sizes) => {
    const parts = sizes.map((size, physical) => ({ physical, size, stride: 1 }))
    return acrossSlices(parts, slices)
  })
}

function acrossSlices(parts: TorusGroup['parts'], slices: number): TorusGroup {
  return { kind: 'torus', parts: parts.filter(({ size }) => size > 1), slices }
}

function ring(network: TorusNetwork, group: TorusGroup): boolean {
  return group.slices === 1 && group.parts.length > 0 && group.parts.every((part) => closes(network, part))
}

function slowestTier({ network }: Cluster, { loads }: GroupCost): string {
  const slowest = loads.indexOf(Math.max(...loads))
  if (network.kind === 'switched') return network.tiers[slowest]?.name ?? 'local'
  return slowest === network.topology.length && (loads[slowest] ?? 0) > 0 ? 'dcn' : 'ici'
}

function refusal(pointer: string, detail: string): Refusal {
  return { problem: { pointer, detail } }
}
