/**
 * What collectives cost a group of chips: seconds per byte, latency, and how long each part of the network is busy.
 *
 * V is the whole array as the group sees it (gathered, or not yet reduced), n the chips of the group.
 *
 *   AllGather, ReduceScatter    t = V · perByte         AllReduce   twice that (once, where the switch reduces)
 *   AllToAll                    t = V · allToAllPerByte, V summed over the group
 *   Permute                     t = V · permutePerByte, V what one chip sends to its neighbour
 *
 * Latency is a floor on a torus (max) and added on a switched network. Small messages inside a node take longer than that
 * (cost/communication/operation-time.ts). Congestion from other jobs is not modelled.
 */
import type { Seconds } from '../../units.ts'
import type { Network } from '../cluster/cluster.ts'
import type { Group, SwitchedGroup, TorusGroup } from './group.ts'
import type { GroupCost, NetworkTerms } from './group-cost.ts'
import { switchedCost } from './switched-collective.ts'
import { torusCost } from './torus-collective.ts'

/** Number of parts of the network that can be busy independently: physical axes and DCN, or tiers. */
export function resourceCount(network: Network): number {
  return network.kind === 'torus' ? network.topology.length + 1 : network.tiers.length
}

export function groupCost(network: Network, group: Group, terms: NetworkTerms): GroupCost {
  return network.kind === 'torus'
    ? torusCost(network, group as TorusGroup, terms)
    : switchedCost(network, group as SwitchedGroup, terms)
}

/** Time of a collective of so many bytes that takes `perByte` for each, from the model above. */
export function collectiveTime(bytes: number, perByte: number, latency: Seconds, floor: boolean): Seconds {
  return finished(bytes * perByte, latency, floor)
}

/** Combines latency with what the bytes take: the longer of both where latency is a floor, else their sum. */
export function finished(bandwidth: Seconds, latency: Seconds, floor: boolean): Seconds {
  return floor ? Math.max(bandwidth, latency) : bandwidth + latency
}
