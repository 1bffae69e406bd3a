/** vLLM's options that describe a plan. Source: as flags.ts. */

import { expertKernels } from '../../hardware/vendor.ts'
import type { Phase } from '../../inference/phase.ts'
import { isUnnamed } from '../server/drafts.ts'
import { quantizesItself, typeWord } from '../server/formats.ts'
import { graphedSequences } from '../server/graphs.ts'
import { ranksOf, type Serving, sharersOf } from '../server/serving.ts'
import { stateType } from '../server/state-types.ts'
import { given, number, ranks, setting, several, whole, word } from '../settings/settings.ts'
import { copiesText } from './copies.ts'
import { lengthOf } from './length.ts'
import { utilizationOf } from './memory.ts'
import { buildOf } from './rules.ts'
import { defaultStep, others, sentRoom } from './step-tokens.ts'

export const vllmSettings = {
  tensor: setting('--tensor-parallel-size', (own: Serving) => ranksOf(own) / groupsApart(own), ranks, '-tp'),
  pipeline: setting('--pipeline-parallel-size', ({ mesh }: Serving) => several(mesh.pipeline), ranks, '-pp'),
  data: setting('--data-parallel-size', (own: Serving) => several(groupsOfServer(own)), ranks, '-dp'),
  spreads: setting('--enable-expert-parallel', (own: Serving) => own.experts?.whole ?? null, given, '-ep'),
  dispatch: setting('--all2all-backend', dispatchOf, word),
  copies: setting('--enable-eplb', ({ redundantExperts }: Serving) => redundantExperts > 0, given),
  copiesOf: setting('--eplb-config', copiesOf, word),
  halves: setting('--enable-dbo', isHalved),
  halvesDecoding: setting('--dbo-decode-token-threshold', halvedFrom('generate', 32)),
  halvesPrefill: setting('--dbo-prefill-token-threshold', halvedFrom('prefill', 512)),
  positions: setting('--decode-context-parallel-size', sharersOf, ranks, '-dcp', '--dcp-size'),
  additional: setting('--additional-config', groupsOnTpus, word),
  length: setting('--max-model-len', lengthOf, word),
  // Sequences of one data rank, which is a replica or a group.
  sequences: setting('--max-num-seqs', ({ sequences }: Serving) => sequences, whole),
  tokens: setting('--max-num-batched-tokens', batchedTokens),
  // On as it is: read for a word behind it that would turn it off.
  inParts: setting('--enable-chunked-prefill', null, given),
  graphs: setting('--max-cudagraph-capture-size', graphsOf),
  drafts: setting('--speculative-config', draftsConfig),
  utilization: setting('--gpu-memory-utilization', utilizationOf, number),
  type: setting('--dtype', typeWord, word),
  quantization: setting('--quantization', quantizationOf, word, '-q'),
  cache: setting('--kv-cache-dtype', cacheOf, word),
  block: setting('--block-size', ({ gpu, model }: Serving) =>
    gpu && model.attention.compressed ? pooledBlock : null,
  ),
  states: setting('--mamba-ssm-cache-dtype', (own: Serving) => (own.gpu ? stateType(own) : null)),
  transfer: setting('--kv-transfer-config', transferOf),
} as const

/** Positions of a block where caches of pooled positions lie beside others (vllm-project/recipes 8959cf6, models/deepseek-ai/DeepSeek-V4-Pro.yaml, base_args). */
const pooledBlock = 256

/**
 * By default vLLM captures graphs up to the lesser of 512 tokens and twice those of --max-num-seqs; larger steps would run without one,
 * which the plan assumes. Source: vllm-project/vllm, vllm/config/vllm.py (_set_cudagraph_sizes).
 */
function graphsOf(own: Serving): number | null {
  const graphed = graphedSequences(own) * own.stepPositions
  return own.gpu && own.mode !== 'prefill' && graphed > 512 ? graphed : null
}

/**
 * Drafts of the model's own layers need no model of their own, and the method of a model that is named follows from it. Source: vllm-project/vllm
 * 002e77c, vllm/config/speculative.py (SpeculativeConfig.__post_init__: names such as deepseek_mtp are taken for mtp).
 */
function draftsConfig({ drafts }: Serving): string | null {
  if (!drafts || drafts.by === 'head' || isUnnamed(drafts)) return null
  const what = drafts.by === 'layers' ? { method: 'mtp' } : { model: drafts.release }
  return JSON.stringify({ ...what, num_speculative_tokens: drafts.tokens })
}

/** Groups of chips that are data ranks; on TPUs groups are inside tensor instead. */
function groupsApart({ gpu, attentionGroups }: Serving): number {
  return gpu ? attentionGroups : 1
}

/** Data ranks of one server. */
export function groupsOfServer(serving: Serving): number {
  const apart = groupsApart(serving)
  return serving.gpu && (apart > 1 || serving.experts) ? apart : serving.mesh.data
}

/** How tokens are sent to experts, in the name that vLLM has for it; null where they are not. */
export function dispatchOf({ experts, mode, setting: { cluster } }: Serving): string | null {
  if (!experts?.sends) return null
  const kernels = expertKernels(cluster.chip).toLowerCase()
  return `${kernels}_${mode === 'generate' ? 'low_latency' : 'high_throughput'}`
}

function copiesOf({ redundantExperts }: Serving): string | null {
  return redundantExperts > 0 ? copiesText(redundantExperts) : null
}

/**
 * Threshold of tokens per rank beyond which a batch is halved; null to keep the default. If the server does both
 * phases, perhaps only one of them is halved.
 */
function halvedFrom(of: Phase['mode'], beyond: number) {
  return (serving: Serving): number | null => {
    const { mode, prompts } = serving
    if (!isHalved(serving) || (mode !== 'serve' && mode !== of)) return null
    const { halved, unitTokens, unitSequences } = of === 'prefill' ? (prompts ?? serving) : serving
    const tokens = of === 'generate' ? unitSequences * serving.stepPositions : unitTokens
    if (!halved) return tokens > beyond ? tokens : null
    return tokens <= beyond ? Math.max(0, tokens - 1) : null
  }
}

function isHalved({ halved, prompts }: Serving): boolean {
  return halved || prompts?.halved === true
}

/** On TPUs the groups are in a config of the plugin's own. */
function groupsOnTpus({ gpu, attentionGroups }: Serving): string | null {
  const strategy = { enable_dp_attention: true, attn_dp_size: attentionGroups }
  return !gpu && attentionGroups > 1 ? JSON.stringify({ sharding: { sharding_strategy: strategy } }) : null
}

/** By default vLLM takes at least 2048 tokens in one iteration, on TPUs fewer: on GPUs more than DeepEP's kernels for few tokens take. */
function batchedTokens(own: Serving): number | null {
  const { mode, sequences, readTokens, stepPositions } = own
  const sent = sentRoom(own)
  if (sent > 0) return sent
  if (mode !== 'generate') return Math.max(sequences, readTokens)
  const tokens = sequences * stepPositions
  return tokens > Math.min(others.tokens, defaultStep(own.setting.cluster.chip).tokens) ? tokens : null
}

function quantizationOf(serving: Serving): string | null {
  return quantizesItself(serving, buildOf(serving).formats) ? 'fp8' : null
}

function cacheOf(serving: Serving): string {
  return buildOf(serving).formats.caches[serving.setting.precision.kvCache] ?? 'auto'
}

/**
 * NIXL only needs to know that there is another side; the router in front decides which of the two asks. The plugin for TPUs takes
 * connectors of its own alone, with a role (tpu_inference/platforms/tpu_platform.py, examples/disagg/run_disagg_single_host.sh).
 */
function transferOf({ transfers, gpu, mode }: Serving): string | null {
  if (!transfers) return null
  if (gpu) return JSON.stringify({ kv_connector: 'NixlConnector', kv_role: 'kv_both' })
  return JSON.stringify({
    kv_connector: 'TPUConnector',
    kv_connector_module_path: 'tpu_inference.distributed.tpu_connector',
    kv_role: mode === 'prefill' ? 'kv_producer' : 'kv_consumer',
  })
}
