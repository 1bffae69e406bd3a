/** A cost model on other hardware of the same shape: what was derived stays, what depends on a bandwidth is made again. */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { networkPrices } from './communication/network.ts'
import { trainingRates } from './compute/compute.ts'
import type { CostModel } from './model.ts'
import { stepOverhead } from './step/step-overhead.ts'

export function repriced(model: CostModel, cluster: Cluster): CostModel {
  const { assumptions, precision } = model.problem
  const own: CostModel = {
    ...model,
    problem: { ...model.problem, cluster },
    rates: trainingRates(cluster.chip, precision.compute, assumptions),
    stepOverhead: stepOverhead(cluster, assumptions),
    prices: networkPrices(cluster.network, model.sets, assumptions),
  }
  // Kinds of layers are models too, with rates of their own.
  const kinds = model.kinds?.()
  if (!kinds) return own
  const [dense, sparse] = [repriced(kinds.dense, cluster), repriced(kinds.sparse, cluster)]
  return { ...own, kinds: () => ({ dense, sparse }) }
}
