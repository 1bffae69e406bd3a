/**
 * The layers of a model by how far back their queries look, and how many of them keep a cache of their own.
 *
 *   every layer global           where there is no window
 *   every n-th layer global      the others local: floor(L/n) global ones, as the pattern starts with local ones
 *   every layer local            n = 0
 *
 * Where positions are pooled (compressed-attention.ts) all layers have the window, and most of them pooled vectors beside it.
 *
 * Layers with a recurrence are in no group: the layers here are those that attend (recurrence.ts).
 *
 * Layers that share a cache are neighbours of one kind: global ones share with global ones, local with local, because a
 * cache holds either all positions or the window's. The first layer of a group owns its cache. Sources: Gemma 3 (arXiv
 * 2503.19786) for the pattern; "Optimizing AI Inference at Character.AI" (2024) for the sharing.
 */
import { attendingLayers } from './recurrence.ts'
import type { CompressedAttention, PositionIndex, Transformer } from './transformer.ts'

/** Vectors that queries meet beside the window, each of so many positions; at most `most` of them are met. */
export interface Pooled {
  readonly positions: number
  readonly most: number | null
}

export interface AttentionLayers {
  readonly layers: number
  /** Positions that a query looks back on; null when it looks back on all of them. */
  readonly window: number | null
  /** Absent where they meet positions alone. */
  readonly pooled?: Pooled
  /** Number of these layers that keep keys and values; the others read the cache of one that does. */
  readonly caches: number
}

/** Groups of layers of one kind, the global ones first; no group is empty. */
export function attentionLayers(model: Transformer): readonly AttentionLayers[] {
  const { window, globalEvery, kvShareGroup, compressed, index } = model.attention
  const layers = attendingLayers(model)
  if (compressed) return compressedLayers(layers, compressed, index)
  const group = (alike: number, reach: number | null): AttentionLayers => ({
    layers: alike,
    window: reach,
    caches: kvShareGroup === 1 ? alike : Math.ceil(alike / kvShareGroup),
  })
  const all = globalEvery === 0 ? 0 : Math.floor(layers / globalEvery)
  const groups = window === null ? [group(layers, null)] : [group(all, null), group(layers - all, window)]
  return groups.filter((alike) => alike.layers > 0)
}

function compressedLayers(
  layers: number,
  { window, sparse, heavy }: CompressedAttention,
  index: PositionIndex | null,
): readonly AttentionLayers[] {
  const others = layers - sparse.layers - heavy.layers
  const groups: readonly AttentionLayers[] = [
    {
      ...{ layers: sparse.layers, caches: sparse.layers, window },
      pooled: { positions: sparse.positions, most: index?.positions ?? null },
    },
    {
      ...{ layers: heavy.layers, caches: heavy.layers, window },
      pooled: { positions: heavy.positions, most: null },
    },
    { layers: others, caches: others, window },
  ]
  return groups.filter((alike) => alike.layers > 0)
}

/** Number of layers that keep keys and values of their own. */
export function cacheLayers(model: Transformer): number {
  return attentionLayers(model).reduce((sum, { caches }) => sum + caches, 0)
}
