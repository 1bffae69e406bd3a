/**
 * Attention to the last positions as they are, and to vectors that many positions each are pooled to (DeepSeek-V4). One head of keys, which
 * are the values too, of width H for all queries.
 *
 *   w           last positions, in all layers
 *   sparse      vectors of m positions each (CSA), made of the 2·m last ones; of these an index chooses the best
 *   heavy       vectors of m' positions each (HCA), all of which are met
 *   queries     D·r + r·N·H; keys D·H
 *   pools       D·4·H in sparse layers (two vectors and a weight for each of their elements), D·2·H in heavy ones; the index has a pool of
 *               its own in place of a projection of its keys, D·4·H_i
 *   output      g groups of N/g heads: N·H·r_o to as many low ranks, g·r_o·D from them
 *   cache       H elements a vector: min(S, w) + S/m of a sequence, and of the index H_i elements of 8 bits, S/m of them
 *
 * The offsets of the weights that pool (m·2·H or m'·H a layer), and the sinks, are left out of the parameters: under 0.01 %; of the cache the positions
 * that are not pooled yet, at most 2·m and m' of each sequence. Sources: DeepSeek-V4, technical report (2026), section 2.3; transformers,
 * docs model_doc/deepseek_v4; config.json of deepseek-ai/DeepSeek-V4-Flash; AI-Hypercomputer/maxtext, src/maxtext/layers/attention_compressed.py.
 */
import type { Pool, Transformer } from './transformer.ts'

/** Positions that one pooled vector of a sparse layer is made of overlap those of the next: each has two vectors of a position. */
const overlapping = 2
/** Each element of a pooled vector has a weight beside it. */
const weighed = 2

/** Widths of what positions are projected to before they are pooled. */
export function pooledWidths({ headDim, attention: { index } }: Transformer) {
  return {
    sparse: overlapping * weighed * (headDim + (index?.headDim ?? 0)),
    heavy: weighed * headDim,
  }
}

/** The share of the layers that have a pool. */
export function pooledShare({ layers }: Transformer, pool: Pool): number {
  return pool.layers / layers
}

/** Parameters of queries, keys, output and pools in the average layer, without those of the index. */
export function compressedParameters(model: Transformer): number {
  const { dModel, heads, headDim, attention } = model
  const { compressed, index } = attention
  if (!compressed) return 0
  const { queryRank, outputGroups, outputRank, sparse, heavy } = compressed
  const queries = queryRank * (dModel + heads * headDim)
  const output = heads * headDim * outputRank + outputGroups * outputRank * dModel
  const widths = pooledWidths(model)
  const ofIndex = overlapping * weighed * (index?.headDim ?? 0)
  const pools =
    pooledShare(model, sparse) * (widths.sparse - ofIndex) + pooledShare(model, heavy) * widths.heavy
  return queries + dModel * headDim + output + dModel * pools
}

/** Columns of the weight that the keys of the index are made with: a pool where positions are pooled. */
export function indexKeyColumns({ attention: { compressed, index } }: Transformer): number {
  return (compressed ? overlapping * weighed : 1) * (index?.headDim ?? 0)
}
