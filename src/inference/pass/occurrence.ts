/**
 * How often a pass runs each component, and how often the stream goes from one to another.
 *
 *   component    stage rounds · its layers on the fullest stage + model rounds · its layers;  the head as the pass says
 *   stream       from the first component of a layer to each that may follow, as often as that runs; back from there to
 *                the next layer, once less than there are layers; and from the last layer to the head
 *
 * Where only some layers have experts, the fullest stage is given as many of the heavier kind as any stage has: for time the kind that
 * takes longer by arithmetic and streaming alone, max(2·t·P_met/peak, bytes visited/HBM) for t tokens; for memory the kind with
 * more weights. Where each layer has a mixer or an MLP alone, those compared are an expert layer and the mean of all others. The last layer is taken to be one with experts, where there are any.
 */
import { popularity, visitedShare } from '../../cost/communication/uneven-routing.ts'
import { peakFlops } from '../../cost/compute/compute.ts'
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { known, remembered, rememberedOf } from '../../known.ts'
import {
  denseLayers,
  expertLayerParameters,
  expertLayers,
  expertLayersByStage,
} from '../../model/expert-layers.ts'
import { mlpMatrices } from '../../model/parameters.ts'
import { mixingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { WeightPart } from '../../model/weight-parts.ts'
import type { Setting } from '../../problem.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import type { InferenceModel } from '../model.ts'
import type { Pass } from './pass.ts'

/** For each component, its layers on the stage that the others wait for; the head counts once. */
export function runOnStage(model: InferenceModel, { shape, stages }: Pass): readonly number[] {
  const tokens = shape.sequences * shape.positions
  const { setting } = model
  const experts = setting.model.experts !== null && expertsTakeLonger(setting)(tokens)
  return onStage(model, stages, experts)
}

/** For each component, the layers that the fullest stage holds. */
export function heldOnStage(model: InferenceModel, stages: number): readonly number[] {
  const transformer = model.setting.model
  const { routed, shared } = expertLayerParameters(transformer)
  return onStage(model, stages, routed + shared > denseParameters(transformer))
}

type ByStages = Map<number, readonly number[]>

/** Without experts that are heavier, and with them: asked for by every pass, though there are few stages. */
const staged = new WeakMap<InferenceModel['components'], readonly [ByStages, ByStages]>()

function onStage(model: InferenceModel, stages: number, expertsAreHeavier: boolean): readonly number[] {
  const both = known(staged, model.components, () => [new Map(), new Map()] as const)
  return known(both[expertsAreHeavier ? 1 : 0], stages, () => layersOn(model, stages, expertsAreHeavier))
}

function layersOn(
  { setting, components }: InferenceModel,
  stages: number,
  expertsAreHeavier: boolean,
): readonly number[] {
  const { model } = setting
  const most = Math.ceil(model.layers / stages)
  const sparse = model.experts ? sparseOf(model, stages, most, expertsAreHeavier) : 0
  const others = most - sparse
  const layers = { all: most, ...ofOthers(model, most, others), sparse }
  return components.map((component) => {
    const row = componentRow(component)
    return row.place === 'head' ? 1 : layers[row.layers]
  })
}

/** Of a stage's layers, of which some have no experts, those with a mixer and those with a dense MLP: means where a layer has one alone. */
function ofOthers(model: Transformer, all: number, others: number) {
  if (model.layerPattern === undefined) return { mixing: all, dense: others }
  const share = others / (model.layers - expertLayers(model))
  return { mixing: mixingLayers(model) * share, dense: denseLayers(model) * share }
}

/** Layers with experts on that stage: the most that any stage has, or what is left beside the most dense ones that any has. */
function sparseOf(model: Transformer, stages: number, most: number, experts: boolean): number {
  const sparse = expertLayersByStage(model, stages)
  if (experts) return Math.max(...sparse)
  const fewer = most * stages - model.layers
  return most - Math.max(...sparse.map((count, stage) => (stage < stages - fewer ? most : most - 1) - count))
}

function denseParameters(model: Transformer): number {
  return mlpMatrices(model) * model.dModel * model.dFf
}

/** Whether experts take longer than a dense MLP, for so many tokens. */
const expertsTakeLonger = rememberedOf((setting: Setting) =>
  remembered((tokens: number) => comparedFor(setting, tokens)),
)

function comparedFor({ model, cluster, precision, assumptions }: Setting, tokens: number): boolean {
  if (!model.experts) return false
  const { activeExperts, experts } = model.experts
  const { shared, routed } = expertLayerParameters(model)
  const perFlop = (2 * tokens) / peakFlops(cluster.chip, precision.compute)
  const seconds = (met: number, read: number) =>
    Math.max(met * perFlop, read / cluster.chip.hbmBytesPerSecond)
  const visited = visitedShare(popularity(experts, activeExperts, assumptions.expertUnevenness), tokens)
  const dense = denseParameters(model)
  const active = shared + routed * (activeExperts / experts)
  const bytes = (parameters: number, part: WeightPart) => parameters * parameterBytes(precision, part)
  const sparse = seconds(active, bytes(shared, 'sharedExperts') + bytes(routed * visited, 'experts'))
  return sparse >= seconds(dense, bytes(dense, 'mlp'))
}

/** How often each component runs. */
export function occurrences(model: InferenceModel, pass: Pass): readonly number[] {
  const stage = runOnStage(model, pass)
  return model.components.map((component, at) => {
    if (componentRow(component).place === 'head') return pass.headTimes
    return pass.stageRounds * (stage[at] ?? 0) + pass.modelRounds * component.layers
  })
}

/** Two components between which the stream goes; the last of them is the head. */
interface Between {
  readonly from: number
  readonly to: number
}

export function streamsTo(head: number): readonly Between[] {
  const later = Array.from({ length: head - 1 }, (_, index) => index + 1)
  const ends = later.length > 0 ? later : [0]
  return [
    ...later.map((to) => ({ from: 0, to })),
    ...ends.map((from) => ({ from, to: 0 })),
    { from: head - 1, to: head },
  ]
}

/** How often the stream goes from one to the other; `times` are the occurrences of the components. */
export function crossingTimes(
  { setting }: InferenceModel,
  { headTimes }: Pass,
  { from, to }: Between,
  times: readonly number[],
): number {
  if (to === times.length - 1) return headTimes
  return to > 0 ? (times[to] ?? 0) : (times[from] ?? 0) * (1 - 1 / setting.model.layers)
}

interface Crossing extends Between {
  readonly times: number
}

export function crossings(model: InferenceModel, pass: Pass): readonly Crossing[] {
  const times = occurrences(model, pass)
  return streamsTo(times.length - 1).map((between) => ({
    ...between,
    times: crossingTimes(model, pass, between, times),
  }))
}
