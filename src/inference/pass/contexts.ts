/**
 * Which positions attend to which, when T new positions of a sequence follow p that are cached.
 *
 *   read   positions whose keys and values one layer reads: p + T, or at most w + T behind a window w
 *   met    positions that a new one attends to on average under the causal mask: the i-th attends to min(p + i, w)
 *
 * Where an index chooses K positions for each new one, these together read at most K·T, and each meets them as those of a window.
 *
 * Where positions are pooled, a query meets a window and one vector for every m positions; an index scores such vectors.
 *
 * Both are means over the layers that attend: what a recurrence keeps has no positions.
 *
 *          full: p + (T + 1)/2        window: (Σ_{i<=m} (p + i) + (T - m) w) / T,   m = clamp(w - p, 0, T)
 */
import { attentionLayers, type Pooled } from '../../model/attention-layers.ts'
import { keptVectors } from '../../model/kv-cache.ts'
import { attendingLayers } from '../../model/recurrence.ts'
import type { CompressedAttention, Transformer } from '../../model/transformer.ts'
import type { Context, ContextGroup } from '../time/component-time.ts'

export function contextGroups(model: Transformer, past: number, positions: number): readonly ContextGroup[] {
  const { index, compressed } = model.attention
  if (compressed) return compressedGroups(model, compressed, past, positions)
  const most = index?.positions ?? null
  return attentionLayers(model).map(({ layers, window }) => {
    const all: Context = { read: past + positions, met: past + (positions + 1) / 2 }
    const context = window === null ? all : windowOf(window, past, positions)
    return {
      share: layers / attendingLayers(model),
      ...context,
      chosen: most === null ? context : chosenOf(most, past, positions),
    }
  })
}

/** Queries meet the window and pooled vectors beside it; what an index scores are those of its own layers, in all groups alike. */
function compressedGroups(
  model: Transformer,
  { sparse }: CompressedAttention,
  past: number,
  positions: number,
): readonly ContextGroup[] {
  const all: Context = { read: past + positions, met: past + (positions + 1) / 2 }
  const scored: Context = { read: all.read / sparse.positions, met: all.met / sparse.positions }
  return attentionLayers(model).map(({ layers, window, pooled }) => {
    const near: Context = window === null ? all : windowOf(window, past, positions)
    const far = pooled ? pooledOf(pooled, all, past, positions) : { read: 0, met: 0 }
    return {
      share: layers / attendingLayers(model),
      ...scored,
      chosen: { read: near.read + far.read, met: near.met + far.met },
    }
  })
}

function pooledOf({ positions: of, most }: Pooled, all: Context, past: number, positions: number): Context {
  if (most === null) return { read: all.read / of, met: all.met / of }
  return { read: Math.min(all.read / of, most * positions), met: metBehind(most * of, past, positions) / of }
}

function windowOf(window: number, past: number, positions: number): Context {
  return { read: Math.min(past + positions, window + positions), met: metBehind(window, past, positions) }
}

function chosenOf(most: number, past: number, positions: number): Context {
  return { read: Math.min(past + positions, most * positions), met: metBehind(most, past, positions) }
}

function metBehind(window: number, past: number, positions: number): number {
  const growing = Math.min(Math.max(window - past, 0), positions)
  const grown = growing * past + (growing * (growing + 1)) / 2
  return (grown + (positions - growing) * window) / positions
}

/** Positions of a sequence that a layer keeps, averaged over the layers that attend: a window keeps no more than itself, a shared cache counts once. */
export function keptPositions(model: Transformer, context: number): number {
  return attentionLayers(model).reduce((sum, group) => {
    return sum + (group.caches / attendingLayers(model)) * keptVectors(group, context)
  }, 0)
}

/** Keys that an index keeps of a sequence. */
export function keptScored({ attention: { compressed } }: Transformer, context: number): number {
  return context / (compressed?.sparse.positions ?? 1)
}
