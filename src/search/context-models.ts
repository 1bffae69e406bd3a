/**
 * One cost model per way that attention may meet keys which the context axis shards. Without such an axis all are alike, and
 * only the first is searched.
 */
import { type CostModel, costModel } from '../cost/model.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import {
  contextLayoutFits,
  contextLayoutRow,
  contextLayouts,
  plainContext,
} from '../sharding/context-layout.ts'
import type { Accepts, Layout } from './candidate.ts'
import { enumerateMeshes } from './meshes.ts'
import { type SearchResult, searchSpaces, spaceOf } from './search.ts'

/** The first is of what every mesh has. */
export function contextModels(problem: Problem, stop: Stop = never): readonly CostModel[] {
  const { contextLayouts } = problem.assumptions
  const { allowed } = enumerateMeshes(problem, stop)
  const others = contextLayouts.filter(
    (layout) =>
      layout !== plainContext && allowed.some((mesh) => contextLayoutFits(layout, mesh, problem.model)),
  )
  return [costModel(problem), ...others.map((layout) => costModel(problem, layout))]
}

interface Ends {
  readonly stop?: Stop
  /** To look for floors. */
  readonly late?: Stop
  /** Plans that are worse are not listed. */
  readonly most?: number | undefined
}

export function searchAll(
  models: readonly CostModel[],
  top: number,
  acceptsOf: (model: CostModel) => Accepts | null = () => null,
  { stop = never, late = stop, most }: Ends = {},
): SearchResult {
  const spaces = models.map((model) => spaceOf(model, acceptsOf(model), stop))
  return searchSpaces(spaces, top, stop, most, late)
}

export function modelFor(models: readonly CostModel[], { contextLayout }: Layout): CostModel {
  const found = models.find((model) => model.contextLayout === contextLayout)
  if (!found) throw new RangeError(`No model has the context layout ${contextLayout}`)
  return found
}

/** What it moves all others move as well: an AllToAll is not counted by the bound (continuous/unavoidable.ts). */
export function boundingModel(models: readonly CostModel[]): CostModel {
  const [first] = models
  if (!first) throw new RangeError('There is no cost model')
  if (models.length === 1) return first
  const least = contextLayouts.find((name) => contextLayoutRow(name).movesByAllToAll)
  return models.find(({ contextLayout }) => contextLayout === least) ?? costModel(first.problem, least)
}
