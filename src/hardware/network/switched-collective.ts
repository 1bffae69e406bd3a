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
import { isDirect } from '../chip.ts'
import type { SwitchedNetwork } from '../cluster/cluster.ts'
import { groupSize, type SwitchedGroup } from './group.ts'
import type { GroupCost, NetworkTerms } from './group-cost.ts'

export function switchedCost(network: SwitchedNetwork, group: SwitchedGroup, terms: NetworkTerms): GroupCost {
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
  let ramp = 0
  let reduces = terms.inNetworkReduction
  // Of an all-reduce where switches reduce: each takes V in and gives V out once, V / (m · w), without (d-1)/d.
  let reducedRate: BytesPerSecond = Number.POSITIVE_INFINITY
  network.tiers.forEach((tier, level) => {
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const members = membersWithin(group, within(network, unit))
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
      else ramp = Math.sqrt(terms.scaleUpHalfBytes) / rate
      const step = tier.latencySeconds * terms.latencyFactor
      const ring = (units - 1) * step
      const atOnce = terms.directSeconds !== undefined && isDirect(tier)
      const inNode = terms.directSeconds !== undefined && atOnce ? terms.directSeconds : ring
      latency += level === 0 ? inNode : ring
      allToAllLatency += level === 0 ? inNode : atOnce ? step : ring
      allReduceLatency += 2 * (level === 0 ? inNode : Math.ceil(Math.log2(units)) * step)
      permuteLatency = step
      permutePerByte = Math.max(permutePerByte, 1 / rate)
      reduces &&= tier.inNetworkReduction
      reducedRate = Math.min(reducedRate, below * tier.bytesPerSecondPerChip * efficiency)
    }
    permuteLoads.push(units > 1 ? 1 / rate : 0)
    below = members
  })
  return {
    chips: n,
    perByte,
    allReducePerByte: reduces && perByte > 0 ? 1 / reducedRate : 2 * perByte,
    allToAllPerByte,
    permutePerByte,
    latency,
    allReduceLatency,
    allToAllLatency,
    permuteLatency,
    ramp,
    latencyIsFloor: false,
    loads,
    allToAllLoads,
    outerUnits,
    permuteLoads,
  }
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
