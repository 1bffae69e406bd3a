/** One collective on one group of chips: what POST /collectives answers. */
import type { Assumptions } from './assumptions/assumptions.ts'
import { latencySeconds, transferSeconds } from './cost/communication/operation-time.ts'
import type { Cluster, TorusNetwork } from './hardware/cluster/cluster.ts'
import { finished, groupCost } from './hardware/network/collective.ts'
import type { Group, TorusGroup } from './hardware/network/group.ts'
import type { GroupCost } from './hardware/network/group-cost.ts'
import { factorings } from './hardware/network/placement.ts'
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
  const parts = physical
    .map((axis) => ({ physical: axis, size: network.topology[axis] ?? 1, stride: 1 }))
    .filter(({ size }) => size > 1)
  return { kind: 'torus', parts, slices: 1 }
}

/** With a stride, the group lies on the first physical axis that holds it; without one, it lies in the way that gathers fastest. */
function partOfTorus(
  network: TorusNetwork,
  { groupSize, stride }: { readonly groupSize: number; readonly stride?: number },
  assumptions: Assumptions,
): Group | Refusal {
  if (stride !== undefined && stride > 1) {
    const physical = network.topology.findIndex((length) => length % (groupSize * stride) === 0)
    if (physical < 0) {
      return refusal(
        '/over/stride',
        `no physical axis of ${network.topology.join('x')} has ${groupSize} chips ${stride} apart`,
      )
    }
    return { kind: 'torus', parts: [{ physical, size: groupSize, stride }], slices: 1 }
  }
  const groups = factorings(groupSize, network.topology).map((sizes): TorusGroup => {
    const parts = sizes
      .map((size, physical) => ({ physical, size, stride: 1 }))
      .filter(({ size }) => size > 1)
    return { kind: 'torus', parts, slices: 1 }
  })
  const [first, ...others] = groups
  if (!first) {
    return refusal(
      '/over/groupSize',
      `no parts of the axes of ${network.topology.join('x')} multiply to ${groupSize}`,
    )
  }
  const time = (group: Group) => groupCost(network, group, assumptions).perByte
  return others.reduce((best, group) => (time(group) < time(best) ? group : best), first)
}

function ring(network: TorusNetwork, group: TorusGroup): boolean {
  return group.parts.length > 0 && group.parts.every((part) => closes(network, part))
}

function slowestTier({ network }: Cluster, { loads }: GroupCost): string {
  const slowest = loads.indexOf(Math.max(...loads))
  if (network.kind === 'switched') return network.tiers[slowest]?.name ?? 'local'
  return slowest === network.topology.length && (loads[slowest] ?? 0) > 0 ? 'dcn' : 'ici'
}

function refusal(pointer: string, detail: string): Refusal {
  return { problem: { pointer, detail } }
}
