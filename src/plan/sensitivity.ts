/**
 * Elasticities of the best step time: d log T / d log resource, by central differences of one per cent, the plan held
 * but for its memory policy, which is chosen again. By the envelope theorem that is the derivative of the optimum,
 * wherever the best plan does not change.
 */
import type { CostModel } from '../cost/model.ts'
import { networkPrices } from '../cost/network.ts'
import { fittingMixes } from '../cost/remat.ts'
import type { Network } from '../hardware/cluster.ts'
import type { Candidate } from '../search/candidate.ts'
import type { Seconds } from '../units.ts'
import { costing } from './costing.ts'
import type { Sensitivity } from './plan.ts'

const change = 0.01

export function sensitivity(model: CostModel, best: Candidate): Sensitivity {
  const elasticity = (scaledBy: (factor: number) => Seconds): number => {
    const slope =
      Math.log(scaledBy(1 + change) / scaledBy(1 - change)) / Math.log((1 + change) / (1 - change))
    return Object.is(slope, -0) ? 0 : slope
  }
  const { rates, problem } = model
  const rated = (changed: Partial<CostModel['rates']>) =>
    costing({ ...model, rates: { ...rates, ...changed } }, best).stepTime
  const networked = (network: Network) =>
    costing({ ...model, prices: networkPrices(network, model.sets, problem.assumptions) }, best).stepTime
  return {
    flops: elasticity((factor) =>
      rated({
        secondsPerFlop: rates.secondsPerFlop / factor,
        secondsPerAttentionFlop: rates.secondsPerAttentionFlop / factor,
        secondsPerUpdateFlop: rates.secondsPerUpdateFlop / factor,
      }),
    ),
    hbmBandwidth: elasticity((factor) => rated({ secondsPerByte: rates.secondsPerByte / factor })),
    iciBandwidth: elasticity((factor) => networked(scaledNetwork(problem.cluster.network, factor, 1))),
    dcnBandwidth: elasticity((factor) => networked(scaledNetwork(problem.cluster.network, 1, factor))),
    memory: elasticity((factor) => withMemory(model, best, factor)),
  }
}

/** Inside a slice or node, and between them. */
export function scaledNetwork(network: Network, inside: number, between: number): Network {
  if (network.kind === 'torus') {
    return {
      ...network,
      linkBytesPerSecond: network.linkBytesPerSecond * inside,
      dcnBytesPerSecondPerChip: network.dcnBytesPerSecondPerChip * between,
    }
  }
  const tiers = network.tiers.map((tier, level) => ({
    ...tier,
    bytesPerSecondPerChip: tier.bytesPerSecondPerChip * (level === 0 ? inside : between),
  }))
  return { ...network, tiers }
}

/** The best policy mix under another budget; the least that is on offer where nothing fits. */
function withMemory(model: CostModel, best: Candidate, factor: number): Seconds {
  const { memory } = costing(model, best)
  const { memoryBudget, assumptions } = model.problem
  const mixes = fittingMixes(memory, best.groups, memoryBudget * factor, assumptions.tokensDivideFreely)
  const times = mixes.map((mix) => costing(model, { ...best, mix }).stepTime)
  return times.length > 0 ? Math.min(...times) : costing(model, best).stepTime
}
