/**
 * The instances that a pool of chips can be divided into, and whether given numbers of two kinds fit into it together.
 *
 *   switched   a divisor of a node, or of a pool that is less than one, or whole nodes: up to four, a power of two of them, or a divisor of
 *              their number
 *   trays      of a node that is several hosts (NVL72), a divisor of a host, or whole hosts, as many as of whole nodes
 *   torus      a slice that is on offer and tiles the pool's own, or whole slices, joined by DCN
 *
 * Each replica is an instance of its own, so that instances have no data axis. They are placed greedily, the larger
 * kind first, into the fewest nodes or slices, which wastes chips only if the smaller size does not divide the larger.
 * Two shapes of slice of which neither tiles the other never share a slice of the pool. Of hosts an
 * instance of more chips than one has takes whole ones, as its ranks lie evenly on them.
 */
import type { TorusSystem } from '../../hardware/chip.ts'
import { type Box, tiles, volume } from '../../hardware/cluster/box.ts'
import {
  type Cluster,
  fullUnit,
  type SwitchedNetwork,
  type TorusNetwork,
} from '../../hardware/cluster/cluster.ts'
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { hostsTaken, type JoinedHosts, joinedHosts } from '../../hardware/cluster/hosts.ts'
import { behindSwitches } from '../../hardware/cluster/resized-cluster.ts'
import { slicesOf, wraparound } from '../../hardware/cluster/slice.ts'
import { rememberedOf } from '../../known.ts'
import { leastThat } from '../../threshold.ts'

/** More chips than any instance in use has; bounds the search. */
const mostChips = 256

/** Numbers of whole nodes, hosts or slices that are tried in any pool that has as many. */
const fewUnits = [1, 2, 3, 4]

/** Clusters that one instance may have, smallest first: the same objects whenever they are asked for, by which more is kept. */
export const instanceClusters = rememberedOf((pool: Cluster): readonly Cluster[] => {
  const { network } = pool
  const found = network.kind === 'torus' ? sliceClusters(pool, network) : nodeClusters(pool, network)
  return found.filter(({ chips }) => chips <= mostChips).sort((a, b) => a.chips - b.chips)
})

function nodeClusters(pool: Cluster, network: SwitchedNetwork): readonly Cluster[] {
  const node = fullUnit(network, pool.chips)
  const hosts = joinedHosts(pool)
  const within = hosts ? onHosts(pool.chips, node, hosts) : partsOf(pool.chips, node)
  const whole = multiples(Math.floor(pool.chips / node)).map((nodes) => nodes * node)
  const counts = new Set([...within, ...whole].filter((chips) => chips <= pool.chips))
  return [...counts].map((chips) => behindSwitches(pool, network, chips))
}

function partsOf(chips: number, node: number): readonly number[] {
  const halves: number[] = []
  for (let half = chips; half < node && Number.isInteger(half); half /= 2) halves.push(half)
  return [...divisorsOf(node), ...halves]
}

/** A pool of fewer chips than a host has is one of so many. */
function onHosts(chips: number, node: number, { each }: JoinedHosts): readonly number[] {
  const whole = multiples(Math.floor(Math.min(chips, node) / each)).map((hosts) => hosts * each)
  return [...divisorsOf(each), ...whole, ...(chips < each ? [chips] : [])]
}

function sliceClusters(pool: Cluster, network: TorusNetwork): readonly Cluster[] {
  const { system } = pool.chip
  const { topology, slices } = network
  const whole = multiples(slices).map((count) => ({
    ...pool,
    chips: count * volume(topology),
    network: { ...network, slices: count },
  }))
  if (system.kind !== 'torus') return whole
  const parts = divisorsOf(volume(topology)).flatMap((chips) =>
    chips > mostChips ? [] : slicesOf(system, chips).filter((box) => isPart(box, topology)),
  )
  return [...parts.map((box) => cut(pool, network, system, box)), ...whole]
}

function isPart(box: Box, topology: Box): boolean {
  return volume(box) < volume(topology) && tiles(box, topology)
}

function cut(pool: Cluster, network: TorusNetwork, system: TorusSystem, topology: Box): Cluster {
  const wraps = wraparound(system, topology)
  return { ...pool, chips: volume(topology), network: { ...network, topology, wraps, slices: 1 } }
}

/** All numbers up to four, powers of two up to a number, its divisors, and those of its halves, so that every size in a pool is also a size in a pool twice as large. */
function multiples(most: number): readonly number[] {
  const found = new Set(fewUnits.filter((count) => count <= most))
  for (let power = 1; power <= most; power *= 2) {
    found.add(power)
    for (const divisor of divisorsOf(Math.floor(most / power))) found.add(divisor)
  }
  return [...found]
}

export interface Instances {
  readonly cluster: Cluster
  readonly count: number
}

/** `count` nodes, hosts or slices that have `chips` chips left each, or instances of so many. */
interface Bins {
  readonly chips: number
  readonly count: number
}

export function holds(pool: Cluster, kinds: readonly Instances[]): boolean {
  const hosts = joinedHosts(pool)
  return holdsChips(pool, kinds) && (!hosts || fitOnHosts(kinds, hosts))
}

/** The hosts that instances take and those that there are, where these are too few; null otherwise. */
export function lackedHosts(
  pool: Cluster,
  kinds: readonly Instances[],
): { readonly taken: number; readonly hosts: JoinedHosts } | null {
  const hosts = joinedHosts(pool)
  if (!hosts || fitOnHosts(kinds, hosts)) return null
  const most = kinds.reduce(
    (sum, { cluster, count }) => sum + hostsTaken(count, cluster.chips, hosts.each),
    0,
  )
  const taken = leastThat(most, (count) => fitOnHosts(kinds, { ...hosts, count })) ?? most
  return { taken, hosts }
}

function fitOnHosts(kinds: readonly Instances[], { each, count }: JoinedHosts): boolean {
  let left: readonly Bins[] | null = [{ chips: each, count }]
  for (const { chips, count: instances } of largestFirst(kinds)) {
    const whole = chips > each ? Math.ceil(chips / each) * each : chips
    left = left && placed(left, { chips: whole, count: instances }, each)
  }
  return left !== null
}

function holdsChips(pool: Cluster, kinds: readonly Instances[]): boolean {
  const [large, small] = kinds.toSorted((a, b) => b.cluster.chips - a.cluster.chips)
  const apart = large && small && !shareSlices(large.cluster, small.cluster)
  let left: readonly Bins[] | null = binsOf(pool)
  for (const kind of largestFirst(kinds)) {
    left = left && placed(left, kind, unitOf(pool))
    if (apart) left = left?.filter(({ chips }) => chips === unitOf(pool)) ?? null
  }
  return left !== null
}

function largestFirst(kinds: readonly Instances[]): readonly Bins[] {
  return kinds.map(({ cluster: { chips }, count }) => ({ chips, count })).sort((a, b) => b.chips - a.chips)
}

function shareSlices({ network: large }: Cluster, { network: small }: Cluster): boolean {
  if (large.kind === 'switched' || small.kind === 'switched') return true
  return large.slices > 1 || tiles(small.topology, large.topology)
}

function unitOf(pool: Cluster): number {
  const { network } = pool
  return network.kind === 'torus' ? volume(network.topology) : fullUnit(network, pool.chips)
}

function binsOf(pool: Cluster): readonly Bins[] {
  const unit = unitOf(pool)
  return [
    { chips: unit, count: Math.floor(pool.chips / unit) },
    { chips: pool.chips % unit, count: 1 },
  ]
}

function placed(bins: readonly Bins[], { chips, count }: Bins, unit: number): readonly Bins[] | null {
  const whole = chips >= unit ? Math.round(chips / unit) : 0
  const left: Bins[] = []
  let open = count
  for (const bin of bins) {
    if (whole > 0) {
      const taken = bin.chips === unit ? Math.min(open, Math.floor(bin.count / whole)) : 0
      open -= taken
      left.push({ ...bin, count: bin.count - taken * whole })
      continue
    }
    const each = Math.floor(bin.chips / chips)
    const full = each > 0 ? Math.min(bin.count, Math.floor(open / each)) : 0
    open -= full * each
    const partly = full < bin.count && each > 0 && open > 0 ? open : 0
    open -= partly
    left.push({ chips: bin.chips - each * chips, count: full })
    if (partly > 0) left.push({ chips: bin.chips - partly * chips, count: 1 })
    left.push({ ...bin, count: bin.count - full - (partly > 0 ? 1 : 0) })
  }
  return open > 0 ? null : left
}
