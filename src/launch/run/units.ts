/** The innermost units of a switched network (nodes, NVLink domains), and how many of them a group of ranks spans. */
import type { Cluster, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'
import type { Group } from '../../hardware/network/group.ts'

export function unitSize({ tiers }: SwitchedNetwork, chips: number): number {
  return Math.min(tiers[0]?.size ?? chips, chips)
}

/** All chips where there are no switches. */
export function innermostUnit({ network, chips }: Cluster): number {
  return network.kind === 'switched' ? unitSize(network, chips) : chips
}

/** Of a group that counts ranks from inside a unit to outside of it. */
export function unitsSpanned(group: Group, unit: number): number {
  const [span] = group.kind === 'switched' ? group.spans : []
  return span ? span.size / Math.min(span.size, Math.max(1, unit / span.stride)) : 1
}
