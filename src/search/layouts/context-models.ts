/**
 * One cost model for each way in which attention may meet keys that the context axis shards. Without such an axis all are alike, and
 * only the first is searched.
 */

import { satisfies } from '../../constraint.ts'
import { costModel } from '../../cost/compiled-model.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Problem } from '../../problem.ts'
import { unitMesh } from '../../sharding/axis.ts'
import {
  contextLayoutFits,
  contextLayoutRow,
  contextLayouts,
  plainContext,
} from '../../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import type { Layout } from './candidate.ts'

/** The first model is for the layout that every mesh has. */
export function contextModels(problem: Problem): readonly CostModel[] {
  const others = problem.assumptions.contextLayouts.filter(
    (layout) => layout !== plainContext && mayBeUsed(layout, problem),
  )
  return [costModel(problem), ...others.map((layout) => costModel(problem, layout))]
}

/** Whether any mesh may use the layout. A mesh on fewer chips than all may have a context axis where no mesh on all has one. */
function mayBeUsed(layout: ContextLayout, { cluster, constraints, model }: Problem): boolean {
  for (let context = 2; context <= cluster.chips; context++) {
    const wanted = satisfies(context, constraints.context)
    if (wanted && contextLayoutFits(layout, { ...unitMesh, context }, model)) return true
  }
  return false
}

export function modelFor(models: readonly CostModel[], { contextLayout, cluster }: Layout): CostModel {
  const found = models.find((model) => model.contextLayout === contextLayout)
  if (!found) throw new RangeError(`No model has the context layout ${contextLayout}`)
  return found.problem.cluster === cluster ? found : onCluster(found, cluster)
}

/**
 * The model that the continuous bound is computed with: one whose moves every other makes too, as the bound does not count
 * AllToAlls (search/bound/continuous/unavoidable.ts).
 */
export function boundingModel(models: readonly CostModel[]): CostModel {
  const [first] = models
  if (!first) throw new RangeError('There is no cost model')
  if (models.length === 1) return first
  const least = contextLayouts.find((name) => contextLayoutRow(name).movesByAllToAll)
  return models.find(({ contextLayout }) => contextLayout === least) ?? costModel(first.problem, least)
}
