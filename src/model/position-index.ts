/**
 * The index of sparse attention (DeepSeek-V3.2's DSA): which positions a query meets.
 *
 *   projections   r_q·N_i·H_i queries, D·H_i the key that its heads share, D·N_i the heads' weights
 *   scores        2·N_i·H_i FLOPs for each position that a token looks back on
 *   attention     over the best of these, at most as many as the index chooses
 *   cache         H_i elements of 8 bits per position, in layers with an index of their own
 *
 * The scales of its keys, 4 bytes a position, are left out, as those of other caches are. Sources: DeepSeek-V3.2-Exp, technical report
 * (2025), section 1.1; Megatron-LM @d98e8a64dd, megatron/core/transformer/experimental_attention_variant/dsa.py (DSAIndexer; every
 * tensor rank has all of it).
 */
import type { Bytes } from '../units.ts'
import { indexKeyColumns, pooledShare } from './compressed-attention.ts'
import type { Transformer } from './transformer.ts'

/** Bytes of an element of the index's keys: servers cache them in fp8, whatever type the other cache has. */
export const indexKeyBytes: Bytes = 1

/** The share of the layers that have an index of their own; 0 in models without one. Where positions are pooled, it chooses among those of sparse layers. */
export function indexedShare(model: Transformer): number {
  const { layers, attention } = model
  const { index, compressed } = attention
  if (!index) return 0
  if (compressed) return pooledShare(model, compressed.sparse)
  const first = Math.min(layers, index.firstLayers)
  return (first + Math.floor((layers - first) / index.every)) / layers
}

/** Parameters of the index of one layer that has one. */
export function indexParameters(model: Transformer): number {
  const { dModel, attention } = model
  const { index, latent, compressed } = attention
  if (!index) return 0
  const { heads, headDim } = index
  const rank = latent?.queryRank ?? compressed?.queryRank ?? dModel
  return rank * heads * headDim + dModel * (indexKeyColumns(model) + heads)
}

/** Bytes that the keys of the index take for one position, over all layers. */
export function indexBytesPerToken(model: Transformer): Bytes {
  const { index, compressed } = model.attention
  const keys = 1 / (compressed?.sparse.positions ?? 1)
  return indexedShare(model) * model.layers * keys * (index?.headDim ?? 0) * indexKeyBytes
}
