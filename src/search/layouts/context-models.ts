/**
 * One cost model per way that attention may meet keys which the context axis shards. Without such an axis all are alike, and
 * only the first is searched.
 */

import { costModel } from '../../cost/compiled-model.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import { type Problem, satisfies } from '../../problem.ts'
import { unitMesh } from '../../sharding/axis.ts'
import {
  contextLayoutFits,
  contextLayoutRow,
  contextLayouts,
  plainContext,
} from '../../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import type { Layout } from './candidate.ts'

/** The first is of what every mesh has. */
export function contextModels(problem: Problem): readonly CostModel[] {
  const others = problem.assumptions.contextLayouts.filter(
    (layout) => layout !== plainContext && mayBeUsed(layout, problem),
  )
  return [costModel(problem), ...others.map((layout) => costModel(problem, layout))]
}

/** A mesh of fewer chips than there are may have a context axis where none of all has. */
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

/** What it moves all others move as well: an AllToAll is not counted by the bound (continuous/unavoidable.ts). */
export function boundingModel(models: readonly CostModel[]): CostModel {
  const [first] = models
  if (!first) throw new RangeError('There is no cost model')
  if (models.length === 1) return first
  const least = contextLayouts.find((name) => contextLayoutRow(name).movesByAllToAll)
  return models.find(({ contextLayout }) => contextLayout === least) ?? costModel(first.problem, least)
}
