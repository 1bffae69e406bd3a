/**
 * FLOPs of a Transformer: a multiply and an add for each parameter that a token meets in a matmul, and the dot
 * products of attention, which have no parameters.
 *
 *   forward, per layer   MLP 6·t·D·F (4·t·D·F without a gate), QKVO 4·t·D·H·(N + K), dot products 4·t·S·N·H
 *   with experts         2·t·D·E for the router and 6·t·D·F_e for each expert that a token visits
 *   latent attention     dot products 2·t·S·N·(H_k + H_v), with keys and values projected up (not absorbed)
 *   sparse attention     dot products over the positions that its index chooses, and 2·t·S·N_i·H_i for the index's scores
 *   compressed attention dot products with the window, and with one vector for every m positions (compressed-attention.ts); 2·t·S·N_i·H_i/m of scores
 *   recurrence           in place of dot products, the scan's FLOPs for each position (recurrence.ts)
 *   forward, once        unembedding 2·t·D·V
 *   training             three times forward: the backward pass takes a matmul for either operand
 *
 * t tokens, S keys that a token attends to, w = min(S, window) in local layers. A causal mask leaves S/2 on average,
 * and w·(1 - w/2S) in a window: tokens past the first w meet all w. Norms, rotary embedding, softmax and the
 * embedding's look-up count as nothing, as do rematerialised work and layers that predict further tokens. Source:
 * "How To Scale Your Model", Transformers.
 */
import type { Flops } from '../units.ts'
import { type AttentionLayers, attentionLayers } from './attention-layers.ts'
import { denseLayers, expertLayerParameters, expertLayers } from './expert-layers.ts'
import { headDims } from './head-dims.ts'
import { layerParameters, parameterCount } from './parameters.ts'
import { indexedShare } from './position-index.ts'
import { attendingLayers, recurrenceParameters, recurrentLayers, scanFlops } from './recurrence.ts'
import type { Transformer } from './transformer.ts'

/** How the dot products count: not at all (the rule 6·P), as a causal mask leaves them, or in full. */
export const attentionFlopsCounts = ['none', 'causal', 'full'] as const

export type AttentionFlops = (typeof attentionFlopsCounts)[number]

export interface LayerFlops {
  readonly mlp: Flops
  /** Q, K, V and output projections. */
  readonly projections: Flops
  /** Q·K and the weighted sum of V, and scans. */
  readonly dotProducts: Flops
  readonly total: Flops
}

export interface ModelFlops extends LayerFlops {
  readonly unembedding: Flops
}

/** Mean number of keys that a token meets. */
const meanKeys: Readonly<Record<AttentionFlops, (sequenceLength: number, reach: number) => number>> = {
  none: () => 0,
  causal: (sequenceLength, reach) => reach * (1 - reach / (2 * sequenceLength)),
  full: (_, reach) => reach,
}

/** Shares of a sequence's keys that dot products are charged for, averaged over the layers that attend. */
export interface Attended {
  /** Of those of attention: what mask, windows and an index leave. */
  readonly met: number
  /** Of the scores of an index: what the mask leaves. */
  readonly scored: number
}

export function attendedShare(
  model: Transformer,
  sequenceLength: number,
  attention: AttentionFlops,
): Attended {
  const keys = attentionLayers(model).reduce(
    (sum, group) => sum + group.layers * keysMet(model, sequenceLength, group, attention),
    0,
  )
  const scored = keysScored(model, sequenceLength, attention) / sequenceLength
  return { met: keys / attendingLayers(model) / sequenceLength, scored }
}

const allPositions: AttentionLayers = { layers: 1, caches: 1, window: null }

/** Forward FLOPs of a layer with a dense MLP that keeps its own keys and values and attends to all positions, or of the mean of those that meet pooled ones. */
export function layerForwardFlops(
  model: Transformer,
  tokens: number,
  sequenceLength: number,
  attention: AttentionFlops,
): LayerFlops {
  const parameters = layerParameters(model)
  const mlp = 2 * tokens * parameters.mlp
  const projections = 2 * tokens * parameters.attention
  const everywhere = model.attention.compressed ? attentionLayers(model) : [allPositions]
  const alike = everywhere.reduce((sum, { layers }) => sum + layers, 0)
  const dotProducts = everywhere.reduce((sum, group) => {
    const each = tokens * tokenDotProducts(model, sequenceLength, group, attention)
    return sum + (group.layers / alike) * each
  }, 0)
  return { mlp, projections, dotProducts, total: mlp + projections + dotProducts }
}

/**
 * Forward FLOPs of one token in a layer of either kind that attends to all positions, or has a recurrence: the mean of these. Where a layer
 * has a mixer or an MLP alone, one without experts is the mean of those, and one with experts has nothing else.
 */
export function layerKindFlops(
  model: Transformer,
  sequenceLength: number,
  attention: AttentionFlops,
): { readonly dense: Flops; readonly sparse: Flops } {
  const { mlp, projections, dotProducts } = layerForwardFlops(model, 1, sequenceLength, attention)
  const recurrent = 2 * recurrenceParameters(model).matmul + tokenScan(model, attention)
  const routed = 2 * expertLayerParameters(model).active
  const mixing = (layers: number) =>
    (attendingLayers(model) / layers) * (projections + dotProducts) +
    (recurrentLayers(model) / layers) * recurrent
  if (model.layerPattern === undefined) {
    const both = mixing(model.layers)
    return { dense: both + mlp, sparse: both + routed }
  }
  const others = model.layers - expertLayers(model)
  return { dense: mixing(others) + (denseLayers(model) / others) * mlp, sparse: routed }
}

export function forwardFlops(
  model: Transformer,
  tokens: number,
  sequenceLength: number,
  attention: AttentionFlops,
): ModelFlops {
  const count = parameterCount(model)
  const mlp = 2 * tokens * count.activeMlp
  const projections = 2 * tokens * count.attention
  const dotProducts = attentionLayers(model).reduce(
    (sum, group) => sum + group.layers * tokens * tokenDotProducts(model, sequenceLength, group, attention),
    recurrentLayers(model) * tokens * tokenScan(model, attention),
  )
  const unembedding = unembeddingFlops(model, tokens)
  return { mlp, projections, dotProducts, unembedding, total: mlp + projections + dotProducts + unembedding }
}

export function trainFlops(
  model: Transformer,
  tokens: number,
  sequenceLength: number,
  attention: AttentionFlops,
): ModelFlops {
  return forwardFlops(model, 3 * tokens, sequenceLength, attention)
}

/** The part of `trainFlops` that routers take. */
export function routerTrainFlops(model: Transformer, tokens: number): Flops {
  return 6 * tokens * expertLayers(model) * expertLayerParameters(model).router
}

/** 6 FLOPs for each parameter in a matmul, and the dot products. */
export function trainFlopsPerToken(
  model: Transformer,
  sequenceLength: number,
  attention: AttentionFlops,
): Flops {
  return trainFlops(model, 1, sequenceLength, attention).total
}

/** Dot products of one token in one layer: its query times the keys, its scores times the values, and those of an index. */
function tokenDotProducts(
  model: Transformer,
  sequenceLength: number,
  group: AttentionLayers,
  attention: AttentionFlops,
): Flops {
  const { key, value } = headDims(model)
  const attending = 2 * keysMet(model, sequenceLength, group, attention) * model.heads * (key + value)
  return attending + indexScores(model, sequenceLength, attention)
}

/** The scan of one token in one layer with a recurrence; it counts where dot products do. */
function tokenScan(model: Transformer, attention: AttentionFlops): Flops {
  return meanKeys[attention](1, 1) > 0 ? scanFlops(model) : 0
}

/** Keys that a query meets: those of its window, and of these the ones that an index chooses; or pooled ones beside the window. */
function keysMet(
  { attention: { index } }: Transformer,
  sequenceLength: number,
  { window, pooled }: AttentionLayers,
  attention: AttentionFlops,
): number {
  const within = (most: number | null) =>
    meanKeys[attention](sequenceLength, Math.min(sequenceLength, most ?? sequenceLength))
  const chosen = index?.positions ?? sequenceLength
  if (!pooled) return within(Math.min(window ?? chosen, chosen))
  const { positions, most } = pooled
  return within(window) + within(most === null ? null : most * positions) / positions
}

/** Keys that an index scores for a query. */
function keysScored(
  { attention: { compressed } }: Transformer,
  sequenceLength: number,
  attention: AttentionFlops,
): number {
  return meanKeys[attention](sequenceLength, sequenceLength) / (compressed?.sparse.positions ?? 1)
}

/** Scores of the index for one token, in the average layer. */
export function indexScores(model: Transformer, sequenceLength: number, attention: AttentionFlops): Flops {
  const { index } = model.attention
  if (!index) return 0
  const keys = keysScored(model, sequenceLength, attention)
  return 2 * indexedShare(model) * keys * index.heads * index.headDim
}

/** Forward FLOPs over the whole vocabulary. */
export function unembeddingFlops(model: Transformer, tokens: number): Flops {
  return 2 * tokens * model.dModel * model.vocab
}
