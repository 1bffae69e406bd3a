/**
 * The best layouts for one pass on one mesh and placement, and the time of the pass with them:
 *
 *   seconds = layers, head and resharding as chosen + transfers between stages + overheads
 */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import { collectiveTime } from '../../hardware/network/collective.ts'
import { expertLayers } from '../../model/expert-layers.ts'
import { bestLayouts } from '../../search/component-layout/best-layouts.ts'
import type { LayoutAnswer, LayoutQuestion } from '../../search/component-layout/question.ts'
import { axisBit, type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { CompiledLayout } from '../layout/compiled-layout.ts'
import { layoutQuestion } from '../layout/layout-question.ts'
import { localValue, setShape, setShards } from '../layout/local-term.ts'
import type { InferenceModel } from '../model.ts'
import type { Workbench } from '../workbench.ts'
import type { Pass } from './pass.ts'
import { passNumbers } from './pass-numbers.ts'

export interface Arrangement {
  readonly question: LayoutQuestion
  readonly answer: LayoutAnswer
  readonly seconds: Seconds
}

/** Null where no choice of layouts fits into memory. */
export function arrange(
  bench: Workbench,
  mesh: Mesh,
  costs: NetworkCosts,
  pass: Pass,
  layouts: readonly (readonly CompiledLayout[])[],
): Arrangement | null {
  const question = layoutQuestion(bench, mesh, costs, pass, layouts)
  const answer = bestLayouts(question)
  if (!answer) return null
  return { question, answer, seconds: answer.seconds + fixedSeconds(bench, mesh, costs, pass) }
}

/** A bound: nothing that `arrange` finds on any placement of the mesh is faster. */
export function leastSeconds(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  layouts: readonly (readonly CompiledLayout[])[],
): Seconds {
  return passNumbers(bench, mesh, pass, layouts).least + overheadSeconds(bench, mesh, pass)
}

/** The time that is the same for all layouts. */
export function fixedSeconds(bench: Workbench, mesh: Mesh, costs: NetworkCosts, pass: Pass): Seconds {
  return transferSeconds(bench, mesh, costs, pass) + overheadSeconds(bench, mesh, pass)
}

export function transferSeconds(
  { sizes, boundary }: Workbench,
  mesh: Mesh,
  costs: NetworkCosts,
  pass: Pass,
): Seconds {
  const cost = costs[axisBit.pipeline]
  if (!cost || pass.transfers === 0) return 0
  setShards(sizes, mesh)
  setShape(sizes, pass.shape)
  const bytes = localValue(boundary, sizes)
  return pass.transfers * collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor)
}

/** Each replica of attention has a host of its own, which handles all its sequences. */
export function overheadSeconds(
  { setting }: InferenceModel,
  mesh: Mesh,
  { layerTimes, launches, resident }: Pass,
): Seconds {
  const { inferenceLayerOverheadSeconds, inferenceStepOverheadSeconds, inferenceSequenceOverheadSeconds } =
    setting.assumptions
  const ofExperts = expertLayers(setting.model) / setting.model.layers
  return (
    layerTimes * inferenceLayerOverheadSeconds +
    layerTimes * ofExperts * setting.assumptions.inferenceExpertLayerSeconds +
    launches * inferenceStepOverheadSeconds +
    Math.ceil(resident.sequences / replicasOf(mesh)) * inferenceSequenceOverheadSeconds
  )
}
