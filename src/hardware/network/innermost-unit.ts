/** The innermost units of a switched network (nodes, NVLink domains), and how many of them a group of ranks spans. */
import { type Cluster, fullUnit, type SwitchedNetwork } from '../cluster/cluster.ts'
import type { Group } from './group.ts'

export function unitSize(network: SwitchedNetwork, chips: number): number {
  return Math.min(fullUnit(network, chips), chips)
}

/** Chips of an innermost unit; all chips if the network is not switched. */
export function innermostUnit({ network, chips }: Cluster): number {
  return network.kind === 'switched' ? unitSize(network, chips) : chips
}

/** Units that a group spans whose ranks fill a unit before they go on to the next. */
export function unitsSpanned(group: Group, unit: number): number {
  const [span] = group.kind === 'switched' ? group.spans : []
  return span ? span.size / Math.min(span.size, Math.max(1, unit / span.stride)) : 1
}
