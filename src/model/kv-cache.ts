/**
 * What generation keeps of the tokens that it has seen.
 *
 *   per token and layer   2·K·H elements: a key and a value for every kv-head
 *   latent attention      r_kv + H_r elements: one latent vector and one rotary key, whatever the heads
 *   a sequence of S       each layer with a cache of its own keeps min(S, window) tokens
 *   sparse attention      all of them, and the keys of the index beside (position-index.ts)
 *   compressed attention  H elements, keys that are values too: of a window, and one for every m positions (compressed-attention.ts)
 *   recurrence            a state that does not grow with the sequence, beside the caches of the layers that attend (recurrence.ts)
 *
 * Layers that share a cache keep it once. Sources: "How To Scale Your Model", Inference; DeepSeek-V2 (arXiv
 * 2405.04434), table 1.
 */
import type { Bytes } from '../units.ts'
import { type AttentionLayers, attentionLayers } from './attention-layers.ts'
import { indexBytesPerToken } from './position-index.ts'
import { stateBytesPerSequence } from './recurrence.ts'
import type { Transformer } from './transformer.ts'

/** Elements that one token keeps in one layer. */
export function kvCacheElements({ kvHeads, headDim, attention }: Transformer): number {
  const { latent, compressed } = attention
  if (compressed) return headDim
  return latent ? latent.keyValueRank + latent.ropeHeadDim : 2 * kvHeads * headDim
}

/** Mean bytes per token of a sequence of this length; for a length of 1, the bytes of a token before any window is full. */
export function kvCacheBytesPerToken(model: Transformer, bytesPerElement: Bytes, sequenceLength = 1): Bytes {
  return kvCacheBytes(model, sequenceLength, bytesPerElement) / sequenceLength
}

/** Bytes of the cache of one sequence, and of its states. */
export function kvCacheBytes(model: Transformer, sequenceLength: number, bytesPerElement: Bytes): Bytes {
  const tokens = attentionLayers(model).reduce(
    (sum, group) => sum + group.caches * keptVectors(group, sequenceLength),
    0,
  )
  const keysAndValues = kvCacheElements(model) * tokens * bytesPerElement
  return keysAndValues + indexBytesPerToken(model) * sequenceLength + stateBytesPerSequence(model)
}

/** Vectors that a layer keeps of a sequence: of positions, and pooled ones. */
export function keptVectors({ window, pooled }: AttentionLayers, sequenceLength: number): number {
  const positions = Math.min(sequenceLength, window ?? sequenceLength)
  return positions + (pooled ? sequenceLength / pooled.positions : 0)
}
