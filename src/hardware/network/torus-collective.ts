/**
 * Collectives on a torus (formulas 2.1, 16; letters as in collective.ts). A part of a physical axis with stride s offers each chip
 * 2W/s where it closes into a ring and W/s where it is a line (W one link, one way; s groups interleave on the same links).
 * Parts that are whole rings gather together, V/ΣW. Before them gather the parts of an axis, when an array is still divided by
 * the whole rings; slices gather before both. The stages are pipelined: the longest counts. A line or a finite ring takes (n-1)/n of V.
 *
 * Latency: hops · t_hop, as a floor.
 */
import type { BytesPerSecond } from '../../units.ts'
import type { TorusNetwork } from '../cluster/cluster.ts'
import type { TorusGroup, TorusPart } from './group.ts'
import type { GroupCost, NetworkTerms } from './group-cost.ts'

export function torusCost(network: TorusNetwork, group: TorusGroup, terms: NetworkTerms): GroupCost {
  const link: BytesPerSecond = network.linkBytesPerSecond * terms.scaleUpEfficiency
  const dcn: BytesPerSecond = network.dcnBytesPerSecondPerChip * terms.scaleOutEfficiency
  // One for each physical axis, and DCN last.
  const resources = network.topology.length + 1
  const loads = new Array<number>(resources).fill(0)
  const permuteLoads = new Array<number>(resources).fill(0)
  const whole = group.parts.filter((part) => isWholeRing(network, part))
  const partial = group.parts.filter((part) => !isWholeRing(network, part))
  const wholeSize = product(whole)
  const partialSize = product(partial)

  const stage = (parts: readonly TorusPart[], size: number, dividedBy: number): number => {
    if (size === 1) return 0
    // Parts of one physical axis share its links.
    const rates = new Array<number>(resources).fill(0)
    for (const part of parts) {
      rates[part.physical] = Math.max(rates[part.physical] ?? 0, portRate(network, part, link))
    }
    const rate = rates.reduce((sum, own) => sum + own, 0)
    const book = !terms.finiteRings && parts.every((part) => isWholeRing(network, part))
    const time = (book ? 1 : (size - 1) / size) / dividedBy / rate
    for (const { physical } of parts) loads[physical] = time
    return time
  }
  const wholeTime = stage(whole, wholeSize, 1)
  const partialTime = stage(partial, partialSize, wholeSize)
  const slices = group.slices
  const dcnShare = terms.finiteRings ? (slices - 1) / slices : 1
  const dcnTime = slices > 1 ? dcnShare / (wholeSize * partialSize) / dcn : 0
  loads[resources - 1] = dcnTime

  const n = wholeSize * partialSize * slices
  const turns = group.parts.map(
    (part) => (part.size * part.stride) / (closes(network, part) ? 8 : 4) / link / n,
  )
  const allToAllLoads = new Array<number>(resources).fill(0)
  group.parts.forEach(({ physical }, index) => {
    allToAllLoads[physical] = Math.max(allToAllLoads[physical] ?? 0, turns[index] ?? 0)
  })
  const dcnTurn = slices > 1 ? (1 - 1 / slices) / n / dcn : 0
  allToAllLoads[resources - 1] = dcnTurn
  const steps = group.parts.map((part) => {
    const time = part.stride / link
    permuteLoads[part.physical] = time
    return time
  })
  const dcnStep = slices > 1 ? 1 / dcn : 0
  permuteLoads[resources - 1] = dcnStep

  const hops = group.parts.reduce((sum, part) => {
    const along = closes(network, part) ? Math.floor(part.size / 2) : part.size - 1
    return sum + along * part.stride
  }, 0)
  const hop = network.hopSeconds * terms.latencyFactor
  const dcnLatency = slices > 1 ? network.dcnLatencySeconds * terms.latencyFactor : 0
  const perByte = Math.max(wholeTime, partialTime, dcnTime)
  const stride = group.parts.reduce((longest, part) => Math.max(longest, part.stride), 0)
  return {
    chips: n,
    perByte,
    allReducePerByte: 2 * perByte,
    allToAllPerByte: Math.max(0, dcnTurn, ...turns),
    permutePerByte: Math.max(0, dcnStep, ...steps),
    latency: hops * hop + dcnLatency,
    allReduceLatency: 2 * (hops * hop + dcnLatency),
    allToAllLatency: hops * hop + dcnLatency,
    permuteLatency: dcnLatency > 0 ? dcnLatency : stride * hop,
    ramp: 0,
    latencyIsFloor: true,
    loads,
    allToAllLoads,
    outerUnits: slices,
    permuteLoads,
  }
}

function product(parts: readonly TorusPart[]): number {
  return parts.reduce((chips, { size }) => chips * size, 1)
}

function isWholeRing(network: TorusNetwork, part: TorusPart): boolean {
  return part.stride === 1 && closes(network, part)
}

/** A part closes into a ring if it reaches around a physical axis that does. */
export function closes(network: TorusNetwork, { physical, size, stride }: TorusPart): boolean {
  return network.wraps[physical] === true && size * stride === network.topology[physical]
}

function portRate(network: TorusNetwork, part: TorusPart, link: BytesPerSecond): BytesPerSecond {
  return ((closes(network, part) ? 2 : 1) * link) / part.stride
}
