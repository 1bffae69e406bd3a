/** A cost model under other assumptions of how fast things are: what was derived stays, as with other hardware (repriced.ts). */
import type { Assumptions } from '../assumptions/assumptions.ts'
import { wholeComposition } from '../model/composition.ts'
import { networkPrices } from './communication/network.ts'
import { trainingRates } from './compute/compute.ts'
import { layerOverhead } from './compute/overhead.ts'
import type { CostModel } from './model.ts'
import { stepOverhead } from './step/step-overhead.ts'

/** Of the assumptions those that are in no compiled term: rates, shares that overlap, overheads. */
export const reassumable = [
  'sustainedShare',
  'overlapCriticalPath',
  'overlapPrefetched',
  'hbmEfficiency',
  'scaleUpEfficiency',
  'scaleOutEfficiency',
  'layerOverheadSeconds',
  'expertLayerOverheadSeconds',
  'stepOverheadSeconds',
] as const satisfies readonly (keyof Assumptions)[]

export type Reassumable = (typeof reassumable)[number]

export type Constants = Readonly<Partial<Record<Reassumable, number>>>

export function reassumed(model: CostModel, constants: Constants): CostModel {
  const assumptions = { ...model.problem.assumptions, ...constants }
  const problem = { ...model.problem, assumptions }
  const { cluster, precision } = problem
  const own: CostModel = {
    ...model,
    problem,
    rates: trainingRates(cluster.chip, precision.compute, assumptions),
    stepOverhead: stepOverhead(cluster, assumptions),
    layerOverhead: layerOverhead(problem, wholeComposition(problem.model)),
    prices: networkPrices(cluster.network, model.sets, assumptions),
  }
  const kinds = model.kinds?.()
  if (!kinds) return own
  const [dense, sparse] = [reassumed(kinds.dense, constants), reassumed(kinds.sparse, constants)]
  return { ...own, kinds: () => ({ dense, sparse }) }
}
