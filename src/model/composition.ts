/**
 * The layers of a model, or of one pipeline stage, counted by kind: dense ones, and ones with experts. Layers that predict
 * further tokens come on top of the model's L layers: they stand after the last, on the last stage, and have experts where the
 * model has them (DeepSeek-V3, arXiv 2412.19437, section 2.2; Megatron-LM gives them the specification of its last layer).
 *
 *   dense + sparse = L + further ones      so that per layer of L, dense/L and sparse/L are of each kind
 *
 * Where each layer has a mixer or an MLP alone (layer-pattern.ts), a layer without experts is the mean of those, and one with experts has
 * nothing else; a further layer is one of each.
 *
 * A stage with v virtual stages has v chunks of layers; chunk c of a stage follows chunk c of the stage before. Where v does
 * not divide the layers, the first chunks are one layer longer. Under DualPipe a chip holds stages i and p - 1 - i: it counts
 * as their mean.
 */
import { rememberedOf } from '../known.ts'
import { expertLayers, hasExperts } from './expert-layers.ts'
import type { Transformer } from './transformer.ts'

export interface Composition {
  /** Layers to which the other two counts belong; layers that predict further tokens are not counted here. */
  readonly layers: number
  readonly dense: number
  readonly sparse: number
}

export const denseLayer: Composition = { layers: 1, dense: 1, sparse: 0 }
export const sparseLayer: Composition = { layers: 1, dense: 0, sparse: 1 }

export const wholeComposition = rememberedOf((model: Transformer): Composition => {
  return withFurther(model, model.layers, expertLayers(model))
})

/** Layers, of which some have experts, with the model's further layers on top. */
function withFurther(model: Transformer, layers: number, withExperts: number): Composition {
  const { experts, multiTokenLayers, layerPattern } = model
  const sparse = withExperts + (experts ? multiTokenLayers : 0)
  const further = layerPattern === undefined ? multiTokenLayers : 2 * multiTokenLayers
  return { layers, dense: layers + further - sparse, sparse }
}

/** Whether all layers are of one kind, so that every stage has layers like the average one. */
export function layersAreAlike(model: Transformer): boolean {
  const { dense, sparse } = wholeComposition(model)
  return model.multiTokenLayers === 0 && (dense === 0 || sparse === 0)
}

/**
 * Layers of one of a stage's chunks: the longer chunks come first. A stage may have one layer fewer than chunks at either end of the model, where the
 * embedding is the first chunk of the first stage, or the loss the last of the last, alone.
 */
export function layersOfChunk(layers: number, virtualStages: number, chunk: number, stage?: number): number {
  const place = stage === 0 && layers < virtualStages ? chunk - 1 : chunk
  return Math.floor(layers / virtualStages) + (place >= 0 && place < layers % virtualStages ? 1 : 0)
}

/** The composition of each stage; `counts` are the layers by stage. */
export function stageCompositions(
  model: Transformer,
  counts: readonly number[],
  virtualStages = 1,
): readonly Composition[] {
  const sparse = counts.map(() => 0)
  let layer = 0
  for (let chunk = 0; chunk < virtualStages; chunk++) {
    for (const [stage, layers] of counts.entries()) {
      const end = layer + layersOfChunk(layers, virtualStages, chunk, stage)
      for (; layer < end; layer++) if (hasExperts(model, layer)) sparse[stage] = (sparse[stage] ?? 0) + 1
    }
  }
  return counts.map((layers, stage) => {
    const own = sparse[stage] ?? 0
    return stage === counts.length - 1
      ? withFurther(model, layers, own)
      : { layers, dense: layers - own, sparse: own }
  })
}

/** The composition of each chip of a pipeline that runs from both ends (DualPipe). */
export function mirroredCompositions(model: Transformer, counts: readonly number[]): readonly Composition[] {
  const own = stageCompositions(model, counts)
  return own.map((one, stage) => {
    const { layers, dense, sparse } = own[own.length - 1 - stage] ?? one
    return {
      layers: (one.layers + layers) / 2,
      dense: (one.dense + dense) / 2,
      sparse: (one.sparse + sparse) / 2,
    }
  })
}

export function sameComposition(a: Composition | null, b: Composition | null): boolean {
  if (a === b) return true
  return a !== null && b !== null && a.layers === b.layers && a.dense === b.dense && a.sparse === b.sparse
}
