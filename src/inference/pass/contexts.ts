/**
 * Which positions attend to which, when T new positions of a sequence follow p that are cached.
 *
 *   read   positions whose keys and values one layer reads: p + T, or at most w + T behind a window w
 *   met    positions that a new one attends to on average under the causal mask: the i-th attends to min(p + i, w)
 *
 * Where an index chooses K positions for each new one, these together read at most K·T, and each meets them as those of a window.
 *
 * Both are means over the layers that attend: what a recurrence keeps has no positions.
 *
 *          full: p + (T + 1)/2        window: (Σ_{i<=m} (p + i) + (T - m) w) / T,   m = clamp(w - p, 0, T)
 */
import { attentionLayers } from '../../model/attention-layers.ts'
import { attendingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Context, ContextGroup } from '../time/component-time.ts'

export function contextGroups(model: Transformer, past: number, positions: number): readonly ContextGroup[] {
  const most = model.attention.index?.positions ?? null
  return attentionLayers(model).map(({ layers, window }) => {
    const context: Context = {
      read: window === null ? past + positions : Math.min(past + positions, window + positions),
      met: window === null ? past + (positions + 1) / 2 : metBehind(window, past, positions),
    }
    return {
      share: layers / attendingLayers(model),
      ...context,
      chosen: most === null ? context : chosenOf(most, past, positions),
    }
  })
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
  return attentionLayers(model).reduce((sum, { caches, window }) => {
    return sum + (caches / attendingLayers(model)) * Math.min(context, window ?? context)
  }, 0)
}
