/** The cost model of a problem: compiled once for all problems with the same ingredients, then posed for each. */
import { known } from '../known.ts'
import {
  type Composition,
  denseLayer,
  layersAreAlike,
  sparseLayer,
  wholeComposition,
} from '../model/composition.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Problem } from '../problem.ts'
import { lasting, valueKey } from '../recent.ts'
import { plainContext } from '../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import { composedModel } from './composed-model.ts'
import type { Compilations } from './composed-stage.ts'
import { workOf } from './compute/work.ts'
import type { CostModel, LayerKinds } from './model.ts'
import { posed } from './posed.ts'

/** Compiled once for problems with the same layers, element types, assumptions and kind of chip; the last few are kept. */
export function costModel(problem: Problem, contextLayout: ContextLayout = plainContext): CostModel {
  const key = compilationKey(problem, contextLayout)
  return posed(
    known(compiledModels, key, () => compiledModel(problem, contextLayout)),
    problem,
  )
}

const compiledModels = lasting<CostModel>(12)

/** A key of all that compiling depends on, which leaves out what `posed` puts in. */
export function compilationKey(
  { model, workload, precision, assumptions, cluster }: Problem,
  layout: ContextLayout,
): string {
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

function layerKinds(model: Transformer, modelOf: (kind: Composition) => CostModel): LayerKinds {
  const has = wholeComposition(model)
  const other = modelOf(has.sparse > 0 ? sparseLayer : denseLayer)
  return { dense: has.dense > 0 && has.sparse > 0 ? modelOf(denseLayer) : other, sparse: other }
}
