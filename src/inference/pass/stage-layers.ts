/**
 * For each component, its layers on the fullest stage; the head counts once.
 *
 * Where only some layers have experts, the fullest stage is given as many of the heavier kind as any stage has: for memory the kind with more
 * weights; for time that which makes it longer, so that both are told. Where each layer has a mixer or an MLP alone, those compared are an expert
 * layer and the mean of all others.
 */
import { known } from '../../known.ts'
import {
  denseLayers,
  expertLayerParameters,
  expertLayers,
  expertLayersByStage,
} from '../../model/expert-layers.ts'
import { mlpMatrices } from '../../model/parameters.ts'
import { mixingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import type { InferenceModel } from '../model.ts'

type StageLayers = readonly number[]

interface KnownStages {
  readonly run: Map<number, readonly StageLayers[]>
  readonly held: Map<number, StageLayers>
}

/** Asked for by every pass, though there are few stages. */
const staged = new WeakMap<InferenceModel['components'], KnownStages>()

function knownFor({ components }: InferenceModel): KnownStages {
  return known(staged, components, () => ({ run: new Map(), held: new Map() }))
}

/** Of the stage with the most layers with experts, and of that with the most others; one where these are the same. */
export function runOnStages(model: InferenceModel, stages: number): readonly StageLayers[] {
  return known(knownFor(model).run, stages, () => {
    const { most, sparse } = fullest(model.setting.model, stages)
    return [...new Set(sparse)].map((experts) => layersOf(model, most, experts))
  })
}

export function heldOnStage(model: InferenceModel, stages: number): StageLayers {
  return known(knownFor(model).held, stages, () => {
    const { routed, shared } = expertLayerParameters(model.setting.model)
    const { most, sparse } = fullest(model.setting.model, stages)
    const [withExperts, withOthers] = sparse
    const experts = routed + shared > denseParameters(model.setting.model)
    return layersOf(model, most, experts ? withExperts : withOthers)
  })
}

/** Layers of the largest stage; of these, those with experts where it has the most of them that any has, and where it has the most others. */
function fullest(model: Transformer, stages: number) {
  const most = Math.ceil(model.layers / stages)
  const fewer = most * stages - model.layers
  const sparse = expertLayersByStage(model, stages)
  const others = sparse.map((count, stage) => (stage < stages - fewer ? most : most - 1) - count)
  return { most, sparse: [Math.max(...sparse), most - Math.max(...others)] as const }
}

function layersOf({ setting, components }: InferenceModel, all: number, sparse: number): StageLayers {
  const { model } = setting
  const layers = { all, ...ofOthers(model, all, all - sparse), sparse }
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

function denseParameters(model: Transformer): number {
  return mlpMatrices(model) * model.dModel * model.dFf
}
