/**
 * The best layouts for one pass on one mesh and placement, and the time of the pass with them:
 *
 *   seconds = layers, head and resharding as chosen, on the longest course + transfers between stages + overheads
 *
 * Layers of a prefill take no less than their host takes to start them: kernels of prompts are started one by one, while those that run
 * before them are still at work.
 */
import { collectiveTime } from '../../hardware/network/collective.ts'
import { expertLayers } from '../../model/expert-layers.ts'
import { shareOfWhole } from '../../model/layer-pattern.ts'
import { bestOfLongest } from '../../search/component-layout/longest.ts'
import type { LayoutAnswer, LayoutQuestion } from '../../search/component-layout/question.ts'
import { axisBit, type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { Offered, PricedMesh } from '../layout/compiled-layout.ts'
import { layoutQuestions } from '../layout/layout-question.ts'
import { setShape, setShards } from '../layout/local-sizes.ts'
import { localValue } from '../layout/local-term.ts'
import type { InferenceModel } from '../model.ts'
import type { Workbench } from '../workbench.ts'
import type { Pass } from './pass.ts'
import { passNumbers } from './pass-numbers.ts'

export interface Arrangement {
  /** One for each course that the pass may take. They are asked again, as what is kept of many passes needs them of few. */
  readonly questions: () => readonly LayoutQuestion[]
  readonly answer: LayoutAnswer
  readonly seconds: Seconds
}

/** Null where no choice of layouts fits into memory. */
export function arrange(bench: Workbench, site: PricedMesh, pass: Pass): Arrangement | null {
  const questions = () => layoutQuestions(bench, site, pass)
  const answer = bestOfLongest(questions())
  return (
    answer && { questions, answer, seconds: answer.seconds + fixedSeconds(bench, site, pass, answer.seconds) }
  )
}

/** The time alone; Infinity where nothing fits. */
export function arrangedSeconds(bench: Workbench, site: PricedMesh, pass: Pass): Seconds {
  return arrange(bench, site, pass)?.seconds ?? Number.POSITIVE_INFINITY
}

/** A bound: nothing that `arrange` finds on any placement of the mesh is faster. */
export function leastSeconds(bench: Workbench, mesh: Mesh, pass: Pass, layouts: Offered): Seconds {
  const { least } = passNumbers(bench, mesh, pass, layouts)
  return least + overheadSeconds(bench, mesh, pass, least)
}

/** The time beside layers and head, which take so long by themselves: the shorter they are, the longer they wait for their host. */
export function fixedSeconds(bench: Workbench, site: Priced, pass: Pass, inLayers: Seconds): Seconds {
  return transferSeconds(bench, site, pass) + overheadSeconds(bench, site.mesh, pass, inLayers)
}

type Priced = Omit<PricedMesh, 'offered'>

export function transferSeconds(
  { sizes, boundary }: Workbench,
  { mesh, costs }: Priced,
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
  { setting, assumed }: InferenceModel,
  mesh: Mesh,
  { mode, layerTimes, launches, resident }: Pass,
  inLayers: Seconds,
): Seconds {
  const { inferenceLayerOverheadSeconds, inferenceStepOverheadSeconds, inferenceSequenceOverheadSeconds } =
    setting.assumptions
  const ofExperts = expertLayers(setting.model) / setting.model.layers
  const share = shareOfWhole(setting.model)
  const kernels =
    layerTimes *
    (share * inferenceLayerOverheadSeconds + ofExperts * setting.assumptions.inferenceExpertLayerSeconds)
  const started = layerTimes * share * assumed[mode].inferenceLayerHostSeconds - inLayers
  return (
    Math.max(kernels, started) +
    launches * inferenceStepOverheadSeconds +
    Math.ceil(resident.sequences / replicasOf(mesh)) * inferenceSequenceOverheadSeconds
  )
}
