/**
 * What collectives cost a group of chips: seconds per byte, latency, and how long each part of the network is busy.
 *
 * V is the whole array as the group sees it (gathered, or not yet reduced), n the chips of the group.
 *
 *   AllGather, ReduceScatter    t = V · perByte         AllReduce   twice that (once, where the switch reduces)
 *   AllToAll                    t = V · allToAllPerByte, V summed over the group
 *   Permute                     t = V · permutePerByte, V what one chip sends to its neighbour
 *
 * Torus (formulas 2.1, 16). A part of a physical axis, s apart, offers each chip 2W/s where it closes into a ring and
 * W/s where it is a line (W one link, one way; s groups interleave on the same links). Parts that are whole rings
 * gather together, V/ΣW; parts of an axis gather before them, when an array is still divided by the whole ones;
 * slices before both. The stages are pipelined: the longest counts. A line or a finite ring takes (n-1)/n of V.
 *
 * Switched (formulas 2.2). Tier i joins d_i units of the tier below with m members each, whose chips send w_i:
 * t = V · max_i (d_i-1)/(d_i · m · w_i).
 *
 * Latency: hops · t_hop on a torus, as a floor (max). On a switched network it is added: a ring of d_i - 1 steps per tier
 * for gathers and scatters; an all-reduce takes the ring twice inside a node and a tree, log2(d_i) steps up and down,
 * between nodes, as NCCL does. Where kernels reach all chips of a node at once (`directSeconds`), that is its latency, twice
 * for an all-reduce; an AllToAll then takes one step per tier beyond it, as every chip sends to all others at once. Not modelled: congestion from other jobs.
 */
import type { BytesPerSecond, Seconds } from '../units.ts'
import type { Network, SwitchedNetwork, TorusNetwork } from './cluster.ts'
import { type Group, groupSize, type SwitchedGroup, type TorusGroup, type TorusPart } from './group.ts'

export interface NetworkTerms {
  readonly finiteRings: boolean
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
  readonly latencyFactor: number
  readonly inNetworkReduction: boolean
  /** Latency of a gather or scatter inside a node by one kernel that reaches all others at once; a ring's where absent. */
  readonly directSeconds?: Seconds
}

export interface GroupCost {
  readonly chips: number
  readonly perByte: number
  readonly allReducePerByte: number
  readonly allToAllPerByte: number
  readonly permutePerByte: number
  readonly latency: Seconds
  readonly allReduceLatency: Seconds
  readonly allToAllLatency: Seconds
  readonly permuteLatency: Seconds
  /** The latency is a floor under the bandwidth term (torus) rather than added to it (switched). */
  readonly latencyIsFloor: boolean
  /** Seconds per byte of a gather that each resource of the network is busy. */
  readonly loads: readonly number[]
  /** The same of an AllToAll. */
  readonly allToAllLoads: readonly number[]
  /** Parts that the slowest link to another is between: nodes or slices that the group has chips in. */
  readonly outerUnits: number
  readonly permuteLoads: readonly number[]
}

/** How many parts of the network can be busy independently: physical axes and DCN, or tiers. */
export function resourceCount(network: Network): number {
  return network.kind === 'torus' ? network.topology.length + 1 : network.tiers.length
}

export function groupCost(network: Network, group: Group, terms: NetworkTerms): GroupCost {
  return network.kind === 'torus'
    ? torusCost(network, group as TorusGroup, terms)
    : switchedCost(network, group as SwitchedGroup, terms)
}

/** Time of a collective that takes `perByte`, from the model above. */
export function collectiveTime(bytes: number, perByte: number, latency: Seconds, floor: boolean): Seconds {
  const bandwidth = bytes * perByte
  return floor ? Math.max(bandwidth, latency) : bandwidth + latency
}

function torusCost(network: TorusNetwork, group: TorusGroup, terms: NetworkTerms): GroupCost {
  const link: BytesPerSecond = network.linkBytesPerSecond * terms.scaleUpEfficiency
  const dcn: BytesPerSecond = network.dcnBytesPerSecondPerChip * terms.scaleOutEfficiency
  const resources = resourceCount(network)
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

function switchedCost(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): GroupCost {
  const n = groupSize(group)
  const loads: number[] = []
  const allToAllLoads: number[] = []
  const permuteLoads: number[] = []
  let below = 1
  let unit = 1
  let outerUnits = 1
  let latency = 0
  let allReduceLatency = 0
  let allToAllLatency = 0
  let perByte = 0
  let allToAllPerByte = 0
  let permutePerByte = 0
  let permuteLatency = 0
  let reduces = terms.inNetworkReduction
  network.tiers.forEach((tier, level) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const members = membersWithin(group, Math.min(unit, network.chips ?? unit))
    const units = Math.ceil(members / below)
    const efficiency = level === 0 ? terms.scaleUpEfficiency : terms.scaleOutEfficiency
    const rate = tier.bytesPerSecondPerChip * efficiency
    const time = units > 1 ? (units - 1) / (units * (members / units) * rate) : 0
    loads.push(time)
    perByte = Math.max(perByte, time)
    const turn = units > 1 ? (1 - members / units / n) / (n * rate) : 0
    allToAllLoads.push(turn)
    allToAllPerByte = Math.max(allToAllPerByte, turn)
    if (units > 1) {
      if (level > 0) outerUnits *= units
      const step = tier.latencySeconds * terms.latencyFactor
      const inNode = terms.directSeconds ?? (units - 1) * step
      latency += level === 0 ? inNode : (units - 1) * step
      const atOnce = terms.directSeconds !== undefined
      allToAllLatency += level === 0 ? inNode : (atOnce ? 1 : units - 1) * step
      allReduceLatency += 2 * (level === 0 ? inNode : Math.ceil(Math.log2(units)) * step)
      permuteLatency = step
      permutePerByte = Math.max(permutePerByte, 1 / rate)
      reduces &&= tier.inNetworkReduction
    }
    permuteLoads.push(units > 1 ? 1 / rate : 0)
    below = members
  })
  return {
    chips: n,
    perByte,
    allReducePerByte: reduces && perByte > 0 ? 1 / reducedRate(network, group, terms) : 2 * perByte,
    allToAllPerByte,
    permutePerByte,
    latency,
    allReduceLatency,
    allToAllLatency,
    permuteLatency,
    latencyIsFloor: false,
    loads,
    allToAllLoads,
    outerUnits,
    permuteLoads,
  }
}

/** A switch that reduces takes V in and gives V out once: V / (m · w), without (d-1)/d. */
function reducedRate(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): BytesPerSecond {
  let slowest = Number.POSITIVE_INFINITY
  let below = 1
  let unit = 1
  network.tiers.forEach((tier, level) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const members = membersWithin(group, Math.min(unit, network.chips ?? unit))
    const efficiency = level === 0 ? terms.scaleUpEfficiency : terms.scaleOutEfficiency
    if (members > below) slowest = Math.min(slowest, below * tier.bytesPerSecondPerChip * efficiency)
    below = members
  })
  return slowest
}

/**
 * Members of one group inside a unit of `chips` consecutive ranks. A group that does not divide the unit straddles
 * a boundary somewhere: it counts by its worst placed part.
 */
function membersWithin(group: SwitchedGroup, chips: number): number {
  return group.spans.reduce((members, { size, stride }) => {
    if (stride >= chips) return members
    const reach = Math.floor(chips / stride)
    if (reach >= size)
      return (
        members *
        (chips % (stride * size) === 0 || chips === Number.POSITIVE_INFINITY ? size : Math.ceil(size / 2))
      )
    return members * reach
  }, 1)
}
