/** The cost model of a problem: compiled once for all that share what it is made of, then posed for each. */

import type { Cluster } from '../hardware/cluster/cluster.ts'
import { resourceCount } from '../hardware/network/collective.ts'
import {
  type Composition,
  denseLayer,
  layersAreAlike,
  sparseLayer,
  wholeComposition,
} from '../model/composition.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Problem } from '../problem.ts'
import { recent, valueKey } from '../recent.ts'
import { plainContext } from '../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import { networkPrices } from './communication/network.ts'
import { type Compilations, composedModel } from './composed-model.ts'
import { workOf } from './compute/work.ts'
import type { CostModel, LayerKinds } from './model.ts'
import { stepOverhead } from './step/step-overhead.ts'

/** Compiled once for all problems with the same layers, types of numbers, assumptions and kind of chip: a few stay known. */
export function costModel(problem: Problem, contextLayout: ContextLayout = plainContext): CostModel {
  const key = keyOf(problem, contextLayout)
  const found = compiledModels.get(key) ?? compiledModel(problem, contextLayout)
  compiledModels.set(key, found)
  return posed(found, problem)
}

const compiledModels = recent<CostModel>(24)

/** All of a problem but what `posed` puts in. */
function keyOf({ model, workload, precision, assumptions, cluster }: Problem, layout: ContextLayout): string {
  const ofLayers = { ...workload, batchTokens: null, schedules: null }
  return valueKey([layout, model, ofLayers, precision, assumptions, cluster.chip])
}

function compiledModel(problem: Problem, contextLayout: ContextLayout): CostModel {
  const { model } = problem
  const compilations: Compilations = new Map()
  const modelOf = (composition: Composition) =>
    composedModel(problem, contextLayout, composition, compilations)
  const whole = modelOf(wholeComposition(model))
  if (layersAreAlike(model)) return whole
  const kinds = layerKinds(model, modelOf)
  return { ...whole, work: workOf(whole, kinds), kinds: () => kinds }
}

/** The same on other chips of the kind. */
export function onCluster(model: CostModel, cluster: Cluster): CostModel {
  return posed(model, { ...model.problem, cluster })
}

/** Nothing that is compiled knows the batch, the budget, how many chips there are, or what is between them. */
function posed(model: CostModel, problem: Problem): CostModel {
  const { kinds, resources, sets } = model
  const { assumptions, cluster } = problem
  const ofHost = resources - resourceCount(model.problem.cluster.network)
  const own: CostModel = {
    ...model,
    problem,
    stepOverhead: stepOverhead(cluster, assumptions),
    prices: networkPrices(cluster.network, sets, assumptions),
    resources: resourceCount(cluster.network) + ofHost,
  }
  if (!kinds) return own
  let known: LayerKinds | null = null
  return {
    ...own,
    kinds: () => {
      known ??= { dense: posed(kinds().dense, problem), sparse: posed(kinds().sparse, problem) }
      return known
    },
  }
}

function layerKinds(model: Transformer, modelOf: (kind: Composition) => CostModel): LayerKinds {
  const has = wholeComposition(model)
  const other = modelOf(has.sparse > 0 ? sparseLayer : denseLayer)
  return { dense: has.dense > 0 && has.sparse > 0 ? modelOf(denseLayer) : other, sparse: other }
}
