/**
 * Megatron-LM's options for attention. Its window counts W - 1 positions to the left for a window of W; every n-th layer
 * skips it, as in plans. Source: as flags.ts, and is_layer_window_attention in megatron/core/transformer/utils.py.
 */

import type { RecurrentMixer } from '../../model/recurrent-mixers.ts'
import type { Run } from '../run/run.ts'
import { counted, given, part, setting, several, whole, word } from '../settings/settings.ts'

/** Its names for kinds of recurrences; others it does not have. */
export const recurrentVariants: Readonly<Partial<Record<RecurrentMixer, string>>> = {
  'gated-delta-net': 'gated_delta_net',
}

/** Its name for attention to the positions that an index chooses. */
export const indexedVariant = 'dsa'

export const attentionSettings = {
  heads: setting('--num-attention-heads', ({ model }: Run) => model.heads, whole),
  latent: part(({ model }: Run) => model.attention.latent, {
    isLatent: setting('--multi-latent-attention', () => true, given),
    queryRank: setting('--q-lora-rank', ({ queryRank }) => queryRank, whole),
    keyValueRank: setting('--kv-lora-rank', ({ keyValueRank }) => keyValueRank, counted(32)),
    nopeHeadDim: setting('--qk-head-dim', ({ nopeHeadDim }) => nopeHeadDim, counted(128)),
    ropeHeadDim: setting('--qk-pos-emb-head-dim', ({ ropeHeadDim }) => ropeHeadDim, counted(64)),
    valueHeadDim: setting('--v-head-dim', ({ valueHeadDim }) => valueHeadDim, counted(128)),
  }),
  grouped: setting('--group-query-attention', isGrouped, given),
  groups: setting('--num-query-groups', (run: Run) => isGrouped(run) && run.model.kvHeads, whole),
  headDim: setting('--kv-channels', headDimOf, whole),
  outputGate: setting('--attention-output-gate', ({ model }: Run) => model.attention.outputGate, given),
  variant: setting('--experimental-attention-variant', variantOf, word),
  // The last of every so many layers attends, as in plans.
  recurrence: part(recurrenceOf, {
    attentionEvery: setting('--linear-attention-freq', ({ attentionEvery = 1 }) => attentionEvery, word),
    convolution: setting('--linear-conv-kernel-dim', ({ convolution }) => convolution, counted(4)),
    keyHeads: setting('--linear-num-key-heads', ({ keyHeads }) => keyHeads, counted(16)),
    keyDim: setting('--linear-key-head-dim', ({ keyDim }) => keyDim, counted(128)),
    heads: setting('--linear-num-value-heads', ({ heads }) => heads, counted(32)),
    valueDim: setting('--linear-value-head-dim', ({ valueDim }) => valueDim, counted(128)),
  }),
  index: part(({ model }: Run) => model.attention.index, {
    // The kernels of sparse attention apply rotary embeddings themselves.
    unfused: setting('--no-rope-fusion', () => true),
    heads: setting('--dsa-indexer-n-heads', ({ heads }) => heads, whole),
    headDim: setting('--dsa-indexer-head-dim', ({ headDim }) => headDim, whole),
    positions: setting('--dsa-indexer-topk', ({ positions }) => positions, whole),
    every: setting('--dsa-indexer-topk-freq', ({ every }) => several(every), counted(1)),
    firstLayers: setting(
      '--dsa-indexer-skip-topk-offset',
      ({ every, firstLayers }) => every > 1 && firstLayers,
      counted(0),
    ),
  }),
  windows: part(windowsOf, {
    window: setting('--window-size', ({ left }) => `${left},0`, word),
    globalEvery: setting('--window-attn-skip-freq', ({ globalEvery }) => several(globalEvery), word),
  }),
}

function isGrouped({ model: { heads, kvHeads, attention } }: Run): boolean {
  return !attention.latent && kvHeads !== heads
}

function headDimOf({ model: { heads, headDim, dModel, attention } }: Run): number | null {
  return !attention.latent && headDim * heads !== dModel ? headDim : null
}

function variantOf(run: Run): string | null {
  const recurrence = recurrenceOf(run)
  if (recurrence) return recurrentVariants[recurrence.mixer] ?? recurrence.mixer
  return run.model.attention.index ? indexedVariant : null
}

/** Recurrences in a pattern of layers have options of their own (hybrid.ts). */
function recurrenceOf({ model }: Run): Run['model']['recurrence'] {
  return model.layerPattern === undefined ? model.recurrence : undefined
}

function windowsOf({ model }: Run): { readonly left: number; readonly globalEvery: number } | null {
  const { window, globalEvery } = model.attention
  return window === null || globalEvery === 1 ? null : { left: window - 1, globalEvery }
}

export function recurrenceNote({ model }: Run): string | null {
  if (!model.recurrence) return null
  return model.layerPattern === undefined
    ? 'Megatron-LM: gated delta nets need flash-linear-attention installed.'
    : 'Megatron-LM: layers of Mamba-2 need mamba-ssm and causal-conv1d installed.'
}
