/** A model of inference on other hardware of the same shape, as cost/repriced.ts has it of training. */

import { networkPrices } from '../cost/communication/network.ts'
import { computeRates } from '../cost/compute/compute.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { InferenceModel } from './model.ts'
import type { InferenceCandidate } from './phase.ts'
import { inferenceTerms } from './time/network-terms.ts'

export function repricedInference(model: InferenceModel, cluster: Cluster): InferenceModel {
  const { assumptions, precision } = model.setting
  return {
    ...model,
    setting: { ...model.setting, cluster },
    rates: computeRates(cluster.chip, precision.compute, assumptions),
    prices: networkPrices(cluster.network, model.sets, inferenceTerms(assumptions)),
  }
}

/** The same plan, at the prices of another model's network. */
export function repricedCandidate(
  { prices }: InferenceModel,
  candidate: InferenceCandidate,
): InferenceCandidate {
  return { ...candidate, costs: prices.placed(candidate.placement, candidate.mesh) }
}
