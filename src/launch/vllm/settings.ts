/** The options of vLLM that say a plan. Source: as flags.ts. */

import type { Phase } from '../../inference/phase.ts'
import { quantizesItself, typeWord } from '../server/formats.ts'
import { memoryShares } from '../server/memory-shares.ts'
import { type Serving, sharersOf } from '../server/serving.ts'
import { given, number, ranks, setting, several, whole, word } from '../settings/settings.ts'
import { isAmd } from '../vendor.ts'
import { buildOf } from './rules.ts'

export const vllmSettings = {
  tensor: setting('--tensor-parallel-size', (own: Serving) => own.tensors / groupsApart(own), ranks, '-tp'),
  pipeline: setting('--pipeline-parallel-size', ({ mesh }: Serving) => several(mesh.pipeline), ranks, '-pp'),
  data: setting('--data-parallel-size', (own: Serving) => several(groupsOfServer(own)), ranks, '-dp'),
  spreads: setting('--enable-expert-parallel', (own: Serving) => own.experts?.whole ?? null, given, '-ep'),
  dispatch: setting('--all2all-backend', dispatchOf, word),
  copies: setting('--enable-eplb', ({ redundantExperts }: Serving) => redundantExperts > 0),
  copiesOf: setting('--eplb-config', copiesOf),
  halves: setting('--enable-dbo', isHalved),
  halvesDecoding: setting('--dbo-decode-token-threshold', halvedFrom('generate', 32)),
  halvesPrefill: setting('--dbo-prefill-token-threshold', halvedFrom('prefill', 512)),
  positions: setting('--decode-context-parallel-size', sharersOf, ranks, '-dcp', '--dcp-size'),
  additional: setting('--additional-config', groupsOnTpus, word),
  // A prompt needs room for the first token behind it.
  length: setting(
    '--max-model-len',
    (own: Serving) => own.contextLength + (own.mode === 'prefill' ? 1 : 0),
    word,
  ),
  // Of a rank of data, be it a replica or a group.
  sequences: setting('--max-num-seqs', ({ sequences }: Serving) => sequences, whole),
  tokens: setting('--max-num-batched-tokens', batchedTokens),
  graphs: setting('--max-cudagraph-capture-size', graphsOf),
  utilization: setting('--gpu-memory-utilization', (own: Serving) => memoryShares(own).whole, number),
  type: setting('--dtype', typeWord, word),
  quantization: setting('--quantization', quantizationOf, word, '-q'),
  cache: setting('--kv-cache-dtype', cacheOf, word),
  transfer: setting('--kv-transfer-config', transferOf),
} as const

/**
 * Larger steps than vLLM captures unless told run without a graph, and what is planned has one: the lesser of 512 and twice --max-num-seqs.
 * Source: vllm-project/vllm, vllm/config/vllm.py (_set_cudagraph_sizes).
 */
function graphsOf({ gpu, mode, unitSequences }: Serving): number | null {
  return gpu && mode !== 'prefill' && unitSequences > 512 ? unitSequences : null
}

/** Groups of chips that are ranks of data; on TPUs they are within tensor. */
function groupsApart({ gpu, attentionGroups }: Serving): number {
  return gpu ? attentionGroups : 1
}

/** Ranks of data in one server. */
export function groupsOfServer(serving: Serving): number {
  const apart = groupsApart(serving)
  return serving.gpu && (apart > 1 || serving.experts) ? apart : serving.mesh.data
}

/** DeepEP is for GPUs of NVIDIA, MoRI for those of AMD. */
function dispatchOf({ experts, mode, setting: { cluster } }: Serving): string | null {
  if (!experts?.sends) return null
  // A server that does both has one way for both, and most of its tokens are of prompts.
  return `${isAmd(cluster.chip) ? 'mori' : 'deepep'}_${mode === 'generate' ? 'low_latency' : 'high_throughput'}`
}

function copiesOf({ redundantExperts }: Serving): string | null {
  return redundantExperts > 0 ? JSON.stringify({ num_redundant_experts: redundantExperts }) : null
}

/** Unless told, a batch of more than so many tokens of a rank is halved; of a server that does both phases perhaps of one alone. */
function halvedFrom(of: Phase['mode'], beyond: number) {
  return (serving: Serving): number | null => {
    const { mode, prompts } = serving
    if (!isHalved(serving) || (mode !== 'serve' && mode !== of)) return null
    const { halved, unitTokens, unitSequences } = of === 'prefill' ? (prompts ?? serving) : serving
    const tokens = of === 'generate' ? unitSequences : unitTokens
    if (!halved) return tokens > beyond ? tokens : null
    return tokens <= beyond ? Math.max(0, tokens - 1) : null
  }
}

function isHalved({ halved, prompts }: Serving): boolean {
  return halved || prompts?.halved === true
}

/** The plugin for TPUs has them in a config of its own. */
function groupsOnTpus({ gpu, attentionGroups }: Serving): string | null {
  const strategy = { enable_dp_attention: true, attn_dp_size: attentionGroups }
  return !gpu && attentionGroups > 1 ? JSON.stringify({ sharding: { sharding_strategy: strategy } }) : null
}

/** It takes 2048 in one iteration unless told, at least. */
function batchedTokens({ mode, sequences, unitTokens }: Serving): number | null {
  if (mode !== 'generate') return Math.max(sequences, unitTokens)
  return sequences > 2048 ? sequences : null
}

function quantizationOf({ gpu, setting: { precision } }: Serving): string | null {
  return gpu && quantizesItself(precision) ? 'fp8' : null
}

function cacheOf(serving: Serving): string {
  return buildOf(serving).formats.caches[serving.setting.precision.kvCache] ?? 'auto'
}

/** NIXL is told nothing more than that there is another side; which of the two asks is what a router in front decides. */
function transferOf({ transfers }: Serving): string | null {
  return transfers ? JSON.stringify({ kv_connector: 'NixlConnector', kv_role: 'kv_both' }) : null
}
