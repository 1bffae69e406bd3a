/**
 * Hosts: a launcher runs on each, and starts a process for each of its chips. An NVLink domain of more chips than a
 * board holds consists of trays of four (NVIDIA GB200 NVL72: 18 compute trays, each of two superchips with two GPUs).
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'

const mostOnABoard = 8
const onATray = 4

export function hostSize(cluster: Cluster): number {
  return Math.min(hostOf(unitOf(cluster)), cluster.chips)
}

/** Whether what joins the chips of a host joins those of several, however many of them are asked for. */
export function joinsHosts(cluster: Cluster): boolean {
  return hostOf(unitOf(cluster)) < unitOf(cluster)
}

function unitOf({ chip: { system }, network, chips }: Cluster): number {
  if (system.kind === 'torus') return system.host.reduce((product, size) => product * size, 1)
  return network.kind === 'switched' ? (network.tiers[0]?.size ?? chips) : chips
}

/** Chips of a host of such units. */
export function hostOf(unit: number): number {
  return unit > mostOnABoard ? onATray : unit
}

export function hostCount(cluster: Cluster): number {
  return Math.ceil(cluster.chips / hostSize(cluster))
}

/** Chips of the last host that a plan uses, if not all; null otherwise. A job has to be given that many there. */
export function lastHostChips(cluster: Cluster): number | null {
  const left = cluster.chips % hostSize(cluster)
  return left === 0 ? null : left
}

/** Chips of each host that work where others of it stand idle, which a process would see as well; null where it sees none. */
export function visibleChips(cluster: Cluster): number | null {
  const { network, chips, idleBeside = 0 } = cluster
  if (network.kind !== 'switched') return null
  const unit = Math.min(network.tiers[0]?.size ?? chips, chips) + idleBeside
  const own = hostSize(cluster)
  return own < Math.min(hostOf(unit), unit) && idleBeside > 0 ? own : null
}
