/**
 * What generation keeps of the tokens that it has seen.
 *
 *   per token and layer   2·K·H elements: a key and a value for every kv-head
 *   latent attention      r_kv + H_r elements: one latent vector and one rotary key, whatever the heads
 *   a sequence of S       each layer with a cache of its own keeps min(S, window) tokens
 *   sparse attention      all of them, and the keys of the index beside (position-index.ts)
 *   recurrence            a state that does not grow with the sequence, beside the caches of the layers that attend (recurrence.ts)
 *
 * Layers that share a cache keep it once. Sources: "How To Scale Your Model", Inference; DeepSeek-V2 (arXiv
 * 2405.04434), table 1.
 */
import type { Bytes } from '../units.ts'
import { attentionLayers } from './attention-layers.ts'
import { indexBytesPerToken } from './position-index.ts'
import { stateBytesPerSequence } from './recurrence.ts'
import type { Transformer } from './transformer.ts'

/** Elements that one token keeps in one layer. */
export function kvCacheElements({ kvHeads, headDim, attention: { latent } }: Transformer): number {
  return latent ? latent.keyValueRank + latent.ropeHeadDim : 2 * kvHeads * headDim
}

/** Mean bytes per token of a sequence of this length; for a length of 1, the bytes of a token before any window is full. */
export function kvCacheBytesPerToken(model: Transformer, bytesPerElement: Bytes, sequenceLength = 1): Bytes {
  return kvCacheBytes(model, sequenceLength, bytesPerElement) / sequenceLength
}

/** Bytes of the cache of one sequence, and of its states. */
export function kvCacheBytes(model: Transformer, sequenceLength: number, bytesPerElement: Bytes): Bytes {
  const tokens = attentionLayers(model).reduce(
    (sum, { caches, window }) => sum + caches * Math.min(sequenceLength, window ?? sequenceLength),
    0,
  )
  const keysAndValues = kvCacheElements(model) * tokens * bytesPerElement
  return keysAndValues + indexBytesPerToken(model) * sequenceLength + stateBytesPerSequence(model)
}
