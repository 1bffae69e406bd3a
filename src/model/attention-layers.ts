/**
 * The layers of a model by what their queries meet, and how many of them keep a cache of their own.
 *
 *   every layer global           where there is no window
 *   every n-th layer global      the others local: floor(L/n) global ones, as the pattern starts with local ones
 *   every layer local            n = 0
 *
 * Layers that share a cache are neighbours among their like: global ones with global ones, local with local, as a
 * cache holds either all positions or the window's. The first of a group owns it. Sources: Gemma 3 (arXiv
 * 2503.19786) for the pattern; "Optimizing AI Inference at Character.AI" (2024) for the sharing.
 */
import type { Transformer } from './transformer.ts'

export interface AttentionLayers {
  readonly layers: number
  /** Positions that a query looks back on; null for all of them. */
  readonly window: number | null
  /** Layers of these that keep keys and values; the others read theirs. */
  readonly caches: number
}

/** Groups of alike layers, the global ones first; none of them empty. */
export function attentionLayers({ layers, attention }: Transformer): readonly AttentionLayers[] {
  const { window, globalEvery, kvShareGroup } = attention
  const group = (alike: number, reach: number | null): AttentionLayers => ({
    layers: alike,
    window: reach,
    caches: kvShareGroup === 1 ? alike : Math.ceil(alike / kvShareGroup),
  })
  if (window === null) return [group(layers, null)]
  const all = globalEvery === 0 ? 0 : Math.floor(layers / globalEvery)
  const groups = [group(all, null), group(layers - all, window)]
  return groups.filter((alike) => alike.layers > 0)
}

/** Layers that keep keys and values of their own. */
export function cacheLayers(model: Transformer): number {
  return attentionLayers(model).reduce((sum, { caches }) => sum + caches, 0)
}
