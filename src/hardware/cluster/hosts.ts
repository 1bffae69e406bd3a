/**
 * Hosts: a launcher runs on each, and starts a process for each of its chips. An NVLink domain of more chips than a
 * board holds consists of trays of four (NVIDIA GB200 NVL72: 18 compute trays, each of two superchips with two GPUs).
 */
import { type Cluster, chipsAsked, fullUnit } from './cluster.ts'

const mostOnABoard = 8
const onATray = 4

/** Of a board some chips may stand idle; of more chips than a board holds whole trays do. */
export function hostSize(cluster: Cluster): number {
  const unit = unitOf(cluster)
  const working = unit > mostOnABoard ? hostOf(unit) : joinedChips(cluster)
  return Math.min(working, cluster.chips)
}

/** Whether what joins the chips of a host joins those of several, however many of them are asked for. */
export function joinsHosts(cluster: Cluster): boolean {
  return hostOf(unitOf(cluster)) < unitOf(cluster)
}

/** Chips that are joined as those of a host are, whether all of them work or not. */
function unitOf(cluster: Cluster): number {
  const { network, chips, idleBeside = 0 } = cluster
  const joined = joinedChips(cluster)
  return network.kind === 'torus' ? joined : Math.max(joined, Math.min(joined, chips) + idleBeside)
}

/** Those of them that work. */
function joinedChips({ chip: { system }, network, chips }: Cluster): number {
  if (system.kind === 'torus') return system.host.reduce((product, size) => product * size, 1)
  return network.kind === 'switched' ? fullUnit(network, chips) : chips
}

/** Chips of a host of such units. */
export function hostOf(unit: number): number {
  return unit > mostOnABoard ? onATray : unit
}

export function hostCount(cluster: Cluster): number {
  return Math.ceil(cluster.chips / hostSize(cluster))
}

/** Hosts that are joined as the chips of each are: `count` of them, with room for `each` chips. */
export interface JoinedHosts {
  readonly each: number
  readonly count: number
}

/** The hosts among which servers are shared out, with those that stand idle; null where none is joined to others so. */
export function joinedHosts(cluster: Cluster): JoinedHosts | null {
  if (!joinsHosts(cluster)) return null
  const [unit, chips] = [unitOf(cluster), chipsAsked(cluster)]
  const each = hostOf(unit)
  const count = Math.floor(chips / unit) * Math.ceil(unit / each) + Math.ceil((chips % unit) / each)
  return { each, count }
}

/**
 * Hosts that servers of so many chips take: as many of them as there is room for share one, and larger ones have all of theirs alone. A launcher
 * gives the servers of a host chips one after another, and starts as many ranks on each host of one.
 */
export function hostsTaken(servers: number, chips: number, each: number): number {
  return chips > each ? servers * Math.ceil(chips / each) : Math.ceil(servers / Math.floor(each / chips))
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
  const unit = Math.min(fullUnit(network, chips), chips) + idleBeside
  const own = hostSize(cluster)
  return own < Math.min(hostOf(unit), unit) && idleBeside > 0 ? own : null
}
