/**
 * Megatron-LM's flags for attention. Its window counts W - 1 positions to the left for a window of W; every n-th layer
 * skips it, as in plans. Source: as flags.ts, and is_layer_window_attention in megatron/core/transformer/utils.py.
 */

import { compact } from '../../compact.ts'
import type { RecurrentMixer } from '../../model/recurrent-mixers.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'
import { attentionDetailFlags } from './details.ts'

export function megatronAttention(run: Run): readonly Word[] {
  const { heads, attention } = run.model
  return compact(
    '--num-attention-heads',
    heads,
    attention.latent ? latent(run) : grouped(run),
    attention.outputGate && '--attention-output-gate',
    recurrence(run),
    index(run),
    window(run),
    attentionDetailFlags(run.model),
  )
}

function grouped({ model: { heads, kvHeads, headDim, dModel } }: Run): readonly Word[] {
  return compact(
    kvHeads !== heads && ['--group-query-attention', '--num-query-groups', kvHeads],
    headDim * heads !== dModel && ['--kv-channels', headDim],
  )
}

function latent({ model: { attention } }: Run): readonly Word[] {
  if (!attention.latent) return []
  const { queryRank, keyValueRank, nopeHeadDim, ropeHeadDim, valueHeadDim } = attention.latent
  return compact(
    '--multi-latent-attention',
    queryRank !== null && ['--q-lora-rank', queryRank],
    ['--kv-lora-rank', keyValueRank, '--qk-head-dim', nopeHeadDim],
    ['--qk-pos-emb-head-dim', ropeHeadDim, '--v-head-dim', valueHeadDim],
  )
}

/** The kernels of sparse attention apply rotary embeddings themselves, so that the fusion is turned off. */
function index({ model: { attention } }: Run): readonly Word[] {
  if (!attention.index) return []
  const { positions, heads, headDim, firstLayers, every } = attention.index
  return compact(
    ['--experimental-attention-variant', 'dsa', '--no-rope-fusion'],
    ['--dsa-indexer-n-heads', heads, '--dsa-indexer-head-dim', headDim, '--dsa-indexer-topk', positions],
    every > 1 && ['--dsa-indexer-topk-freq', every, '--dsa-indexer-skip-topk-offset', firstLayers],
  )
}

/** Its names for kinds of recurrences; others it does not have. */
export const recurrentVariants: Readonly<Partial<Record<RecurrentMixer, string>>> = {
  'gated-delta-net': 'gated_delta_net',
}

export function recurrenceNote({ model }: Run): string | null {
  if (!model.recurrence) return null
  return model.layerPattern === undefined
    ? 'Megatron-LM: gated delta nets need flash-linear-attention installed.'
    : 'Megatron-LM: layers of Mamba-2 need mamba-ssm and causal-conv1d installed.'
}

/** The last of every so many layers attends, as in plans. */
function recurrence({ model }: Run): readonly Word[] {
  if (!model.recurrence || model.layerPattern !== undefined) return []
  const { mixer, attentionEvery = 1, keyHeads, keyDim, heads, valueDim, convolution } = model.recurrence
  return [
    ...['--experimental-attention-variant', recurrentVariants[mixer] ?? mixer],
    ...['--linear-attention-freq', attentionEvery, '--linear-conv-kernel-dim', convolution],
    ...['--linear-num-key-heads', keyHeads, '--linear-key-head-dim', keyDim],
    ...['--linear-num-value-heads', heads, '--linear-value-head-dim', valueDim],
  ]
}

function window({ model: { attention } }: Run): readonly Word[] {
  const { window: positions, globalEvery } = attention
  if (positions === null || globalEvery === 1) return []
  return compact(
    ['--window-size', `${positions - 1},0`],
    globalEvery > 1 && ['--window-attn-skip-freq', globalEvery],
  )
}
