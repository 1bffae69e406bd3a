/** A cost model with another problem put in: what was derived stays, what depends on rates, networks and overheads is made again. */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { resourceCount } from '../hardware/network/collective.ts'
import { once } from '../known.ts'
import { wholeComposition } from '../model/composition.ts'
import type { Problem } from '../problem.ts'
import { networkPrices } from './communication/network.ts'
import { ofKinds } from './compile/composed.ts'
import { trainingRates } from './compute/compute.ts'
import { layerOverhead } from './compute/overhead.ts'
import type { CostModel, LayerKinds } from './model.ts'
import { stepOverhead } from './step/step-overhead.ts'

/** What depends on how fast things are. A policy that uses the host's memory adds the link to it to the resources of the network. */
export function ratesOf(problem: Problem, { sets, policies }: Pick<CostModel, 'sets' | 'policies'>) {
  const { assumptions, cluster, model, precision } = problem
  return {
    problem,
    rates: trainingRates(cluster.chip, precision.compute, assumptions),
    stepOverhead: stepOverhead(cluster, assumptions),
    layerOverhead: layerOverhead(problem, wholeComposition(model)),
    prices: networkPrices(cluster.network, sets, assumptions),
    resources: resourceCount(cluster.network) + (policies.some(({ host }) => host) ? 1 : 0),
  }
}

/**
 * Nothing that is compiled depends on the batch, the budget, the number of chips and the network between them, or on how fast
 * anything is (reassumed.ts).
 */
export function posed(model: CostModel, problem: Problem): CostModel {
  const { kinds } = model
  const rates = ratesOf(problem, model)
  const own: CostModel = { ...model, ...rates }
  if (!kinds) return own
  // What moves in layers of either kind moves over sets of axes that the whole model moves over, so that its prices are theirs.
  return { ...own, kinds: once((): LayerKinds => ofKinds(kinds(), (kind) => ({ ...kind, ...rates }))) }
}

/** The same model on other chips of the kind, or with other bandwidths. */
export function onCluster(model: CostModel, cluster: Cluster): CostModel {
  return posed(model, { ...model.problem, cluster })
}
