/**
 * Collectives on a torus (formulas 2.1, 16; letters as in collective.ts). A part of a physical axis with stride s offers each chip
 * 2W/s where it closes into a ring and W/s where it is a line (W one link, one way; s groups interleave on the same links).
 * Axes gather at once (torus-gather.ts), beside rings the parts of axes before them, and slices before all. The stages are pipelined: the longest counts. A line or a finite
 * ring takes (n-1)/n of V.
 *
 * Latency: hops · t_hop, as a floor.
 */
import type { BytesPerSecond } from '../../units.ts'
import type { TorusNetwork } from '../cluster/cluster.ts'
import type { TorusGroup, TorusPart } from './group.ts'
import type { GroupCost, NetworkTerms } from './group-cost.ts'
import { type Along, gatherLoads } from './torus-gather.ts'

export function torusCost(network: TorusNetwork, group: TorusGroup, terms: NetworkTerms): GroupCost {
  const { parts, slices } = group
  const rates: Rates = {
    link: network.linkBytesPerSecond * terms.scaleUpEfficiency,
    dcn: network.dcnBytesPerSecondPerChip * terms.scaleOutEfficiency,
  }
  const gather = gathering(network, group, rates, terms.finiteRings)
  const exchange = exchanging(network, group, rates)
  const step = stepping(network, group, rates)
  const hops = parts.reduce((sum, part) => {
    const along = closes(network, part) ? Math.floor(part.size / 2) : part.size - 1
    return sum + along * part.stride
  }, 0)
  const hop = network.hopSeconds * terms.latencyFactor
  const dcnLatency = slices > 1 ? network.dcnLatencySeconds * terms.latencyFactor : 0
  const latency = hops * hop + dcnLatency
  const stride = parts.reduce((longest, part) => Math.max(longest, part.stride), 0)
  return {
    chips: product(parts) * slices,
    perByte: gather.perByte,
    allReducePerByte: 2 * gather.perByte,
    allToAllPerByte: exchange.perByte,
    permutePerByte: step.perByte,
    latency,
    allReduceLatency: 2 * latency,
    allToAllLatency: latency,
    permuteLatency: dcnLatency > 0 ? dcnLatency : stride * hop,
    ramp: 0,
    latencyIsFloor: true,
    loads: gather.loads,
    allToAllLoads: exchange.loads,
    outerUnits: slices,
    permuteLoads: step.loads,
  }
}

/** W of one link, one way, and of a chip into the data-centre network. */
interface Rates {
  readonly link: BytesPerSecond
  readonly dcn: BytesPerSecond
}

/** Seconds per byte of one operation, and those that it keeps each physical axis busy, and DCN last. */
interface Busy {
  readonly perByte: number
  readonly loads: readonly number[]
}

/** AllGather, and the other way round ReduceScatter: in stages, of which the longest counts. */
function gathering(network: TorusNetwork, group: TorusGroup, { link, dcn }: Rates, finite: boolean): Busy {
  const { parts, slices } = group
  const loads = idle(network)
  for (const [physical, seconds] of gatherLoads(alongAxes(network, parts, link), finite)) {
    loads[physical] = seconds
  }
  const share = finite ? (slices - 1) / slices : 1
  loads[loads.length - 1] = slices > 1 ? share / product(parts) / dcn : 0
  return { perByte: Math.max(...loads), loads }
}

/** Parts of one physical axis share its links. */
function alongAxes(
  network: TorusNetwork,
  parts: readonly TorusPart[],
  link: BytesPerSecond,
): readonly Along[] {
  const along = new Map<number, Along>()
  for (const part of parts) {
    if (part.size === 1) continue
    const { physical } = part
    const { chips, rate } = along.get(physical) ?? { chips: 1, rate: 0 }
    along.set(physical, {
      physical,
      chips: chips * part.size,
      rate: Math.max(rate, portRate(network, part, link)),
      whole: isWhole(network, part),
      ring: closes(network, part),
    })
  }
  return [...along.values()]
}

/** AllToAll: half of what a part holds crosses its middle, over one link of a line and two of a ring. */
function exchanging(network: TorusNetwork, { parts, slices }: TorusGroup, { link, dcn }: Rates): Busy {
  const chips = product(parts) * slices
  const loads = idle(network)
  for (const part of parts) {
    const { physical, size, stride } = part
    const turn = (size * stride) / (closes(network, part) ? 8 : 4) / link / chips
    loads[physical] = Math.max(loads[physical] ?? 0, turn)
  }
  loads[loads.length - 1] = slices > 1 ? (1 - 1 / slices) / chips / dcn : 0
  return { perByte: Math.max(...loads), loads }
}

/** A permutation by one step along each part. */
function stepping(network: TorusNetwork, { parts, slices }: TorusGroup, { link, dcn }: Rates): Busy {
  const loads = idle(network)
  for (const { physical, stride } of parts) loads[physical] = stride / link
  const dcnStep = slices > 1 ? 1 / dcn : 0
  loads[loads.length - 1] = dcnStep
  return { perByte: Math.max(dcnStep, ...parts.map(({ stride }) => stride / link)), loads }
}

function idle({ topology }: TorusNetwork): number[] {
  return new Array<number>(topology.length + 1).fill(0)
}

function product(parts: readonly TorusPart[]): number {
  return parts.reduce((chips, { size }) => chips * size, 1)
}

function isWhole({ topology }: TorusNetwork, { physical, size }: TorusPart): boolean {
  return size === topology[physical]
}

/** A part closes into a ring if it reaches around a physical axis that does. */
export function closes(network: TorusNetwork, { physical, size, stride }: TorusPart): boolean {
  return network.wraps[physical] === true && size * stride === network.topology[physical]
}

function portRate(network: TorusNetwork, part: TorusPart, link: BytesPerSecond): BytesPerSecond {
  return ((closes(network, part) ? 2 : 1) * link) / part.stride
}
