/**
 * Elasticities of the best plan's time, as for training (plan/sensitivity.ts): the plan held, each resource changed by one
 * per cent. Memory has none: the batch is held, and nothing is recomputed to save it.
 */
import { networkPrices } from '../../cost/network.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { inferenceTerms } from '../../inference/network-terms.ts'
import type { InferenceCandidate } from '../../inference/search.ts'
import type { Seconds } from '../../units.ts'
import type { Sensitivity } from '../plan.ts'
import { scaledNetwork } from '../sensitivity.ts'
import { inferenceCosting } from './costing.ts'

const change = 0.01

export function inferenceSensitivity(model: InferenceModel, best: InferenceCandidate): Sensitivity {
  const elasticity = (scaledBy: (factor: number) => Seconds): number => {
    const slope =
      Math.log(scaledBy(1 + change) / scaledBy(1 - change)) / Math.log((1 + change) / (1 - change))
    return Object.is(slope, -0) ? 0 : slope
  }
  const { rates, setting, sets } = model
  const rated = (changed: Partial<InferenceModel['rates']>) =>
    stepSeconds({ ...model, rates: { ...rates, ...changed } }, best)
  const networked = (inside: number, between: number) => {
    const network = scaledNetwork(setting.cluster.network, inside, between)
    const costs = networkPrices(network, sets, inferenceTerms(setting.assumptions)).placed(
      best.placement,
      best.mesh,
    )
    return stepSeconds(model, { ...best, costs })
  }
  return {
    flops: elasticity((factor) =>
      rated({
        secondsPerFlop: rates.secondsPerFlop / factor,
        secondsPerAttentionFlop: rates.secondsPerAttentionFlop / factor,
      }),
    ),
    hbmBandwidth: elasticity((factor) => rated({ secondsPerByte: rates.secondsPerByte / factor })),
    iciBandwidth: elasticity((factor) => networked(factor, 1)),
    dcnBandwidth: elasticity((factor) => networked(1, factor)),
    memory: 0,
  }
}

function stepSeconds(model: InferenceModel, candidate: InferenceCandidate): Seconds {
  const { components, resharding, beside, transfers, overhead } = inferenceCosting(model, candidate)
  return (
    components.reduce((sum, { times, time }) => sum + times * time.expected, 0) +
    resharding +
    beside +
    transfers +
    overhead
  )
}
