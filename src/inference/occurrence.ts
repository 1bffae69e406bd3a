/**
 * How often a pass runs each component, and how often the stream goes from one to another.
 *
 *   component    stage rounds · its layers on the fullest stage + model rounds · its layers;  the head as the pass says
 *   stream       from the first component of a layer to each that may follow, as often as that runs; back from there to
 *                the next layer, once less than there are layers; and from the last layer to the head
 *
 * The fullest stage has as many layers with experts as it can: dense layers come first, and stages after them have none.
 * The last layer is taken to be one with experts, where there are any.
 */
import { expertLayers } from '../model/expert-layers.ts'
import type { Transformer } from '../model/transformer.ts'
import type { InferenceModel } from './model.ts'
import type { Pass } from './pass.ts'

/** By component: layers of the fullest stage that have it; the head is there once. */
export function onStage({ setting, components }: InferenceModel, stageLayers: number): readonly number[] {
  const sparse = expertsOnStage(setting.model, stageLayers)
  return components.map(({ name }) => {
    if (name === 'unembedding') return 1
    if (name === 'experts') return sparse
    return name === 'mlp' ? stageLayers - sparse : stageLayers
  })
}

function expertsOnStage(model: Transformer, stageLayers: number): number {
  return Math.min(expertLayers(model), Math.ceil(stageLayers / (model.experts?.every ?? 1)))
}

/** By component. */
export function occurrences(model: InferenceModel, pass: Pass): readonly number[] {
  const stage = onStage(model, pass.stageLayers)
  return model.components.map(({ name, layers }, component) => {
    if (name === 'unembedding') return pass.headTimes
    return pass.stageRounds * (stage[component] ?? 0) + pass.modelRounds * layers
  })
}

export interface Crossing {
  readonly from: number
  readonly to: number
  readonly times: number
}

export function crossings(model: InferenceModel, pass: Pass): readonly Crossing[] {
  const times = occurrences(model, pass)
  const head = times.length - 1
  const { layers } = model.setting.model
  const later = Array.from({ length: head - 1 }, (_, index) => index + 1)
  const ends = later.length > 0 ? later : [0]
  return [
    ...later.map((to) => ({ from: 0, to, times: times[to] ?? 0 })),
    ...ends.map((from) => ({ from, to: 0, times: (times[from] ?? 0) * (1 - 1 / layers) })),
    { from: head - 1, to: head, times: pass.headTimes },
  ]
}
