/**
 * Collectives on a switched network (formulas 2.2; letters as in collective.ts). Tier i joins d_i units of the tier below, with
 * m members each, whose chips send w_i: t = V · max_i (d_i-1)/(d_i · m · w_i). Where parts are unlike (12 chips over nodes of 8), the smallest decides: p of n
 * members take in what the others have, (n-p)/n of V, over p links: t = V · (n-p)/(n · p · w_i), the same where p = n/d.
 *
 * Latency is added: a ring of d_i - 1 steps per tier for gathers and scatters; an all-reduce takes the ring twice inside a node
 * and a tree, log2(d_i) steps up and down, between nodes, as NCCL does. Where kernels reach all chips of a node at once, their
 * latency is `directSeconds`, twice for an all-reduce; an AllToAll then takes one step per tier beyond it, as every
 * chip sends to all others at once. Over PCIe (`direct: false`) servers take NCCL's rings too: vLLM has no kernels of its own for more
 * than two such chips (vllm/distributed/device_communicators/custom_all_reduce.py), and those of SGLang and TensorRT-LLM take as long as
 * rings: 23 us of 8 RTX PRO 6000, 12 of 4, where 14 and 6 steps of 1.5 us are 21 and 9 (ai-dynamo/aiconfigurator @095f58a51c4c).
 */
import type { BytesPerSecond } from '../../units.ts'
import { isDirect, type Tier } from '../chip.ts'
import type { SwitchedNetwork } from '../cluster/cluster.ts'
import { groupSize, type SwitchedGroup } from './group.ts'
import { type GroupCost, type NetworkTerms, tierEfficiency } from './group-cost.ts'

/** What a group has of one tier: it joins `units` of the tier below, with `least` members or more each, to one with `members`. */
interface Reach {
  readonly level: number
  readonly tier: Tier
  readonly units: number
  readonly least: number
  readonly members: number
  readonly efficiency: number
  /** What a chip sends over it. */
  readonly rate: BytesPerSecond
}

export function switchedCost(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): GroupCost {
  const chips = groupSize(group)
  const tiers = reaches(network, group, terms)
  const crossed = tiers.filter(({ units }) => units > 1)
  const loads = tiers.map(({ units, members, least, rate }) =>
    units > 1 ? (members - least) / (members * least * rate) : 0,
  )
  const allToAllLoads = tiers.map(({ units, least, rate }) =>
    units > 1 ? (1 - least / chips) / (chips * rate) : 0,
  )
  const permuteLoads = tiers.map(({ units, rate }) => (units > 1 ? 1 / rate : 0))
  const perByte = Math.max(0, ...loads)
  const latencies = crossed.map((reach) => latenciesOf(reach, terms))
  const inNode = crossed.find(({ level }) => level === 0)
  return {
    chips,
    perByte,
    allReducePerByte: reducedPerByte(crossed, terms) ?? 2 * perByte,
    allToAllPerByte: Math.max(0, ...allToAllLoads),
    permutePerByte: Math.max(0, ...permuteLoads),
    latency: latencies.reduce((sum, { gather }) => sum + gather, 0),
    allReduceLatency: latencies.reduce((sum, { allReduce }) => sum + allReduce, 0),
    allToAllLatency: latencies.reduce((sum, { allToAll }) => sum + allToAll, 0),
    permuteLatency: latencies.at(-1)?.step ?? 0,
    ramp: inNode ? Math.sqrt(terms.scaleUpHalfBytes) / inNode.rate : 0,
    latencyIsFloor: false,
    loads,
    allToAllLoads,
    outerUnits: crossed.reduce((product, { level, units }) => (level > 0 ? product * units : product), 1),
    permuteLoads,
  }
}

function reaches(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): readonly Reach[] {
  return joined(network, group).map((reach) => {
    const efficiency = tierEfficiency(terms, reach.level)
    return { ...reach, efficiency, rate: reach.tier.bytesPerSecondPerChip * efficiency }
  })
}

/** What a group has of each tier, by its worst placed part. */
function joined(
  network: SwitchedNetwork,
  group: SwitchedGroup,
): readonly Omit<Reach, 'efficiency' | 'rate'>[] {
  let unit = 1
  let below = { most: 1, least: 1 }
  return network.tiers.map((tier, level) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const inside = membersWithin(group, within(network, unit), network.chips)
    const { most: members } = inside
    const reach = { level, tier, units: Math.ceil(members / below.most), least: below.least, members }
    below = inside
    return reach
  })
}

/** The tiers that messages of a group cross: those of which it has more than one unit of the tier below. */
export function tiersCrossed(network: SwitchedNetwork, group: SwitchedGroup): readonly number[] {
  return joined(network, group)
    .filter(({ units }) => units > 1)
    .map(({ level }) => level)
}

/** Of an all-reduce where the switches of all tiers reduce: each takes V in and gives V out once, V / (m · w), without (d-1)/d. */
function reducedPerByte(crossed: readonly Reach[], { inNetworkReduction }: NetworkTerms): number | null {
  if (crossed.length === 0 || !inNetworkReduction) return null
  if (!crossed.every(({ tier }) => tier.inNetworkReduction)) return null
  const rates = crossed.map(({ tier, least, efficiency }) => least * tier.bytesPerSecondPerChip * efficiency)
  return 1 / Math.min(...rates)
}

function latenciesOf({ level, tier, units }: Reach, { latencyFactor, directSeconds }: NetworkTerms) {
  const step = tier.latencySeconds * latencyFactor
  const ring = (units - 1) * step
  const atOnce = directSeconds !== undefined && isDirect(tier)
  const inNode = atOnce ? directSeconds : ring
  if (level === 0) return { step, gather: inNode, allReduce: 2 * inNode, allToAll: inNode }
  const tree = Math.ceil(Math.log2(units)) * step
  return { step, gather: ring, allReduce: 2 * tree, allToAll: atOnce ? step : ring }
}

/** A unit that holds all chips of the network counts as infinite: nothing lies beyond it. */
function within({ chips }: SwitchedNetwork, unit: number): number {
  return chips !== undefined && unit >= chips ? Number.POSITIVE_INFINITY : unit
}

/**
 * Whether a group of so many ranks, as many chips apart, straddles a boundary between units of the network: how its worst placed part lies then hangs on
 * how many such groups there are.
 */
export function straddles({ tiers }: SwitchedNetwork, size: number, stride: number): boolean {
  let unit = 1
  return tiers.some((tier) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    return stride < unit && unit !== Number.POSITIVE_INFINITY && !divides(size, stride, unit)
  })
}

/** Whether a group divides a unit, or units divide it. */
function divides(size: number, stride: number, unit: number): boolean {
  return Math.floor(unit / stride) >= size ? unit % (stride * size) === 0 : (stride * size) % unit === 0
}

interface Members {
  readonly most: number
  readonly least: number
}

/**
 * Members of one group inside a unit of `unit` consecutive ranks: the most, and the least of any unit that has some. A group that does not
 * divide the unit straddles a boundary somewhere: it counts by its worst placed part.
 */
function membersWithin({ spans }: SwitchedGroup, unit: number, chips: number | undefined): Members {
  let [most, least] = [1, 1]
  for (const { size, stride } of spans) {
    if (stride >= unit) continue
    const room = Math.floor(unit / stride)
    const fits = room >= size
    if (unit === Number.POSITIVE_INFINITY || divides(size, stride, unit)) {
      most *= Math.min(room, size)
      least *= Math.min(room, size)
      continue
    }
    most *= fits ? Math.ceil(size / 2) : room
    const groups = chips === undefined ? 1 : Math.floor(chips / (stride * size))
    least *= unit % stride === 0 ? smallestPart(size, room, groups) : 1
  }
  return { most, least }
}

/**
 * The fewest of `size` members in one of the units of `room` that a group lies on, of that many groups that follow one another: 12 chips lie on
 * nodes of 8 as 8 and 4, the next as 4 and 8. More groups never have a larger one. Where one group straddles nothing, half is
 * the most that one which does has.
 */
function smallestPart(size: number, room: number, groups: number): number {
  let least = size
  let end = 0
  for (let group = 1; group <= groups; group++) {
    end = (end + size) % room
    // All groups after this one lie as the first ones do.
    if (end === 0) break
    least = Math.min(least, end, group < groups ? room - end : least)
  }
  return Math.min(least, Math.ceil(size / 2))
}
