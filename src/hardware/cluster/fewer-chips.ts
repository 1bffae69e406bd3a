/**
 * Parts of a cluster that may work while its other chips stand idle, from most chips to fewest. What a part costs does not depend on the
 * cluster that it is a part of: a larger cluster has all the parts of a smaller one, so that more chips never hurt.
 *
 *   switched   the first n chips, for any n; or u chips of each innermost unit (64 of the 72 behind an NVLink), of d units
 *   torus      a slice that can be had and that the topology has room for; of several slices, any number of them
 *
 * Units further out than the innermost are filled in order.
 */
import type { TorusSystem } from '../chip.ts'
import { volume } from './box.ts'
import { type Cluster, chipsAsked, type SwitchedNetwork, type TorusNetwork } from './cluster.ts'
import { divisorsOf } from './divisors.ts'
import { slicesWithin, wraparound } from './slice.ts'

/** The parts whose number of chips is wanted. */
export function fewerChips(
  cluster: Cluster,
  wanted: (chips: number) => boolean = () => true,
): Iterable<Cluster> {
  const { network } = cluster
  return network.kind === 'torus'
    ? smallerSlices(cluster, network).filter(({ chips }) => wanted(chips))
    : fewerRanks(cluster, network, wanted)
}

/** How many numbers of chips, from `least` to `most`, there are parts with. */
export function sizesBetween(cluster: Cluster, least: number, most: number): number {
  const { network } = cluster
  if (network.kind === 'switched') return Math.max(0, most - least + 1)
  const sizes = smallerSlices(cluster, network).map(({ chips }) => chips)
  return new Set(sizes.filter((chips) => chips >= least && chips <= most)).size
}

/** The parts that have exactly this many chips; the cluster itself, where that is all of its chips. */
export function partsOf(cluster: Cluster, chips: number): readonly Cluster[] {
  const { network } = cluster
  if (chips === cluster.chips) return [cluster]
  if (network.kind === 'switched') return chips < cluster.chips ? fillings(cluster, network, chips) : []
  return smallerSlices(cluster, network).filter((part) => part.chips === chips)
}

function* fewerRanks(
  cluster: Cluster,
  network: SwitchedNetwork,
  wanted: (chips: number) => boolean,
): Iterable<Cluster> {
  for (let chips = cluster.chips - 1; chips > 0; chips--) {
    if (wanted(chips)) yield* fillings(cluster, network, chips)
  }
}

function fillings(cluster: Cluster, network: SwitchedNetwork, chips: number): readonly Cluster[] {
  const [innermost, ...outer] = network.tiers
  const size = innermost?.size ?? null
  const unit = Math.min(size ?? cluster.chips, cluster.chips)
  const part = (tiers: SwitchedNetwork['tiers'], each: number): Cluster =>
    partOf(cluster, { ...network, tiers, chips }, chips, Math.max(0, unit - each))
  const inOrder = part(network.tiers, chips)
  if (!innermost || size === null) return [inOrder]
  const unitsWith = (each: number) =>
    Math.floor(cluster.chips / size) + (cluster.chips % size >= each ? 1 : 0)
  const fewerOfEach = divisorsOf(chips).filter(
    (each) => each < size && each < chips && chips / each <= unitsWith(each),
  )
  return [inOrder, ...fewerOfEach.map((each) => part([{ ...innermost, size: each }, ...outer], each))]
}

function smallerSlices(cluster: Cluster, network: TorusNetwork): readonly Cluster[] {
  const { topology, slices } = network
  const { system } = cluster.chip
  const counts = Array.from({ length: slices }, (_, at) => slices - at)
  const part = (box: readonly number[], changed: Partial<TorusNetwork> & Pick<TorusNetwork, 'slices'>) => {
    const idle = volume(topology) - volume(box)
    return partOf(cluster, { ...network, ...changed }, volume(box) * changed.slices, idle)
  }
  const fewer = counts.slice(1).map((count) => part(topology, { slices: count }))
  if (system.kind !== 'torus') return fewer
  const smaller = slicesWithin(system, topology).flatMap((box) => {
    const wraps = wraparound(system, box)
    return counts
      .filter((count) => count === 1 || joins(system, box))
      .map((count) => part(box, { topology: box, wraps, slices: count }))
  })
  return [...fewer, ...smaller].sort((a, b) => b.chips - a.chips)
}

/** Slices can be joined only when each has more than one host. */
function joins({ host }: TorusSystem, box: readonly number[]): boolean {
  return volume(box) > volume(host)
}

/** `idle` stand so in each slice, or innermost unit, beside chips that work; a part of a part leaves more idle. */
function partOf(cluster: Cluster, network: Cluster['network'], chips: number, idle: number): Cluster {
  const { idleBeside = 0 } = cluster
  return { ...cluster, chips, network, idleChips: chipsAsked(cluster) - chips, idleBeside: idleBeside + idle }
}
