/**
 * Collectives on a switched network (formulas 2.2; letters as in collective.ts). Tier i joins d_i units of the tier below, with
 * m members each, whose chips send w_i: t = V · max_i (d_i-1)/(d_i · m · w_i).
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

/** What a group has of one tier: it joins `units` of the tier below, with `below` members each, to one with `members`. */
interface Reach {
  readonly level: number
  readonly tier: Tier
  readonly units: number
  readonly below: number
  readonly members: number
  readonly efficiency: number
  /** What a chip sends over it. */
  readonly rate: BytesPerSecond
}

export function switchedCost(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): GroupCost {
  const chips = groupSize(group)
  const tiers = reaches(network, group, terms)
  const crossed = tiers.filter(({ units }) => units > 1)
  const loads = tiers.map(({ units, members, rate }) =>
    units > 1 ? (units - 1) / (units * (members / units) * rate) : 0,
  )
  const allToAllLoads = tiers.map(({ units, members, rate }) =>
    units > 1 ? (1 - members / units / chips) / (chips * rate) : 0,
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
  let [unit, below] = [1, 1]
  return network.tiers.map((tier, level) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const members = membersWithin(group, within(network, unit))
    const efficiency = tierEfficiency(terms, level)
    const rate = tier.bytesPerSecondPerChip * efficiency
    const reach = { level, tier, units: Math.ceil(members / below), below, members, efficiency, rate }
    below = members
    return reach
  })
}

/** Of an all-reduce where the switches of all tiers reduce: each takes V in and gives V out once, V / (m · w), without (d-1)/d. */
function reducedPerByte(crossed: readonly Reach[], { inNetworkReduction }: NetworkTerms): number | null {
  if (crossed.length === 0 || !inNetworkReduction) return null
  if (!crossed.every(({ tier }) => tier.inNetworkReduction)) return null
  const rates = crossed.map(({ tier, below, efficiency }) => below * tier.bytesPerSecondPerChip * efficiency)
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
