/**
 * Bytes of an element of keys and values, by the type of the cache. Kernels of attention that chooses positions keep a narrow vector with its scales,
 * and in 16 bits the part that rotates:
 *
 *   compressed      448 of 8 bits, 64 of 16, 7 scales of a byte padded to 8      584 bytes for 512 elements
 *   latent, index   512 of 8 bits, 64 of 16, 4 scales of four bytes              656 bytes for 576 elements
 *
 * Sources: vllm-project/vllm, models/deepseek_v4/attention.py and v1/attention/backends/mla/flashmla_sparse.py (`fp8_ds_mla`), by docs;
 * deepseek-ai/FlashMLA, README.
 */
import { elementBytes, isNarrow, usualType } from '../recipe/element-type.ts'
import type { ElementType } from '../recipe/element-types.ts'
import type { Bytes } from '../units.ts'
import { kvCacheElements } from './kv-cache.ts'
import type { Transformer } from './transformer.ts'

export function cacheElementBytes(model: Transformer, type: ElementType): Bytes {
  const packed = isNarrow(type) ? packedVector(model) : null
  if (!packed) return elementBytes[type]
  const { rotating, scaleBytes } = packed
  const elements = kvCacheElements(model)
  const kept = (elements - rotating) * elementBytes[type] + rotating * elementBytes[usualType]
  return (kept + scaleBytes(elements - rotating)) / elements
}

/** The type that a model's caches have where nobody says another. */
export function usualCacheType({ attention }: Transformer): ElementType {
  return attention.compressed?.cacheType ?? usualType
}

interface PackedVector {
  /** Elements that rotate. */
  readonly rotating: number
  readonly scaleBytes: (elements: number) => Bytes
}

/** Null where a narrow cache has all elements alike, and its scales are left out. */
function packedVector({ attention: { compressed, latent, index } }: Transformer): PackedVector | null {
  if (compressed) {
    return {
      rotating: compressed.ropeHeadDim ?? 0,
      scaleBytes: (elements) => 8 * Math.ceil(Math.ceil(elements / 64) / 8),
    }
  }
  if (!latent || !index) return null
  return { rotating: latent.ropeHeadDim, scaleBytes: (elements) => 4 * Math.ceil(elements / 128) }
}
