/**
 * Options of TensorRT-LLM's LLM API, for the file of `trtllm-serve --config` (JSON is YAML). Tensor parallelism is the
 * plan's layout `heads`. The batch size is that of one group of a pipeline, of which as many are resident as there are
 * stages; replicas are separate servers. Prompts pass in chunks of at most max_num_tokens, a multiple of the 64
 * positions of a block. Slots for experts, including copies, are configured in its load balancer. Its Helix divides
 * positions of a cache for latent attention, but replicates the projections, which plans do not. MXFP4 experts are
 * multiplied in bf16 on Hopper (TRITON, the default backend there; deployment guide for GPT-OSS). Source:
 * NVIDIA/TensorRT-LLM, tensorrt_llm/commands/serve.py 029e223 (options --tp_size, --pp_size, --max_batch_size,
 * --max_seq_len, --max_num_tokens, --kv_cache_free_gpu_memory_fraction have these names there), llmapi/llm_args.py
 * (KvCacheConfig), docs/source/features/{parallel-strategy,helix,long-sequence,quantization}.md,
 * examples/wide_ep/README.md.
 */
import { compact } from '../../compact.ts'
import { isAmd } from '../../hardware/vendor.ts'
import type { Launch } from '../launch.ts'
import { portOf, visibleChips } from '../server/apart.ts'
import { type BesideGroups, denseGroupsRule, sentRanksRule } from '../server/attention-groups.ts'
import { headNote, isUnnamed } from '../server/drafts.ts'
import {
  besideEightRules,
  checkpointNote,
  type Formats,
  unpackedNote,
  unpackedRule,
} from '../server/formats.ts'
import { graphedSequences, graphNote } from '../server/graphs.ts'
import { storedCacheNote, storedCacheRule } from '../server/loads.ts'
import { memoryShares } from '../server/memory-shares.ts'
import { modelWord } from '../server/model-word.ts'
import { hostNotes, hostsOf, replicaChips, replicaNote } from '../server/notes.ts'
import { pagesNote, wholePages } from '../server/pages.ts'
import { type ServingRules, sentExpertsRule, servingRefusal, servingRules } from '../server/rules.ts'
import type { Serving } from '../server/serving.ts'
import type { Start } from '../start.ts'
import { copiesRule } from './expert-backends.ts'
import { loadsRule, nativeRule } from './loads.ts'
import { tensorrtVersion } from './version.ts'

export type TensorrtOptions = Readonly<Record<string, unknown>>

const formats: Formats = {
  pairs: ['bf16/bf16', 'fp8/fp8', 'int4/bf16', 'int4/fp8', 'fp4/fp4', 'fp4/fp8', 'fp4/bf16'],
  caches: { bf16: 'auto', fp8: 'fp8', fp4: 'nvfp4', nvfp4: 'nvfp4' },
}

const blockPositions = 64

/** TensorRT-LLM's default for the tokens of one iteration. */
const batchedTokens = 8192

/** With attention DP each rank has all that is not a routed expert. */
const besideGroups: BesideGroups = { mlp: ['each'], experts: ['each'], unembedding: ['each'] }

/** Why TensorRT-LLM cannot serve a plan. */
export const tensorrtLlmRules: ServingRules = servingRules('TensorRT-LLM', formats, besideGroups, [
  {
    broken: ({ setting }) => isAmd(setting.cluster.chip),
    says: 'TensorRT-LLM runs on GPUs of NVIDIA',
  },
  { broken: ({ halved }) => halved, says: 'TensorRT-LLM has no two halves of a batch that overlap' },
  storedCacheRule('TensorRT-LLM', formats),
  denseGroupsRule('TensorRT-LLM'),
  sentRanksRule('TensorRT-LLM'),
  sentExpertsRule('TensorRT-LLM'),
  unpackedRule('TensorRT-LLM'),
  nativeRule,
  loadsRule,
  copiesRule,
  ...besideEightRules('TensorRT-LLM'),
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: "TensorRT-LLM's context parallelism is not mapped to the plan's",
    unwritten: true,
  },
  {
    broken: ({ sharesPositions }) => sharesPositions,
    says: 'TensorRT-LLM shares out positions by Helix, which copies projections the plan shares out',
  },
  {
    broken: ({ attentionGroups, tensors }) => attentionGroups > 1 && attentionGroups < tensors,
    says: 'TensorRT-LLM shares out attention by sequences among all tensor chips, or not at all',
  },
])

export function tensorrtLlm(serving: Serving): Launch<TensorrtOptions> {
  const refusal = servingRefusal(tensorrtLlmRules, serving)
  if (refusal.unsupported.length > 0) return refusal
  const { mesh, tensors, attentionGroups, mode, contextLength, experts } = serving
  const flags = {
    tensor_parallel_size: tensors,
    pipeline_parallel_size: mesh.pipeline,
    ...(attentionGroups > 1 ? { enable_attention_dp: true } : {}),
    ...(experts?.whole ? { moe_expert_parallel_size: tensors } : {}),
    ...balancerOptions(serving),
    max_batch_size: iterationSequences(serving),
    max_seq_len: contextLength + (mode === 'prefill' ? 1 : 0),
    ...tokenOptions(serving),
    ...graphOptions(serving),
    ...draftOptions(serving),
    ...capacityOptions(serving),
    kv_cache_config: {
      dtype: formats.caches[serving.setting.precision.kvCache] ?? 'auto',
      free_gpu_memory_fraction: memoryShares(serving).free,
      ...reuseOptions(serving),
    },
    ...transferOptions(serving),
  }
  return { flags, start: tensorrtStart(serving, flags), notes: notes(serving) }
}

/**
 * Most sequences of an iteration, one group of a pipeline. Of prompts max_num_tokens is the limit: as many as a stage's share of all may
 * be in one, so that the batch is that of the plan where its prompts pass in more pieces than there are stages.
 */
function iterationSequences({ mode, mesh, sequences, unitSequences }: Serving): number {
  return mode === 'prefill' ? Math.max(unitSequences, Math.ceil(sequences / mesh.pipeline)) : unitSequences
}

/** Prefill servers that hand caches on must not overlap scheduling. */
function transferOptions({ transfers, mode }: Serving): TensorrtOptions {
  if (!transfers) return {}
  return {
    ...(mode === 'prefill' ? { disable_overlap_scheduler: true } : {}),
    cache_transceiver_config: { backend: 'DEFAULT' },
  }
}

function tensorrtStart(serving: Serving, options: TensorrtOptions): Start {
  const name = 'shardplan.yaml'
  const chips = replicaChips(serving)
  const hosts = hostsOf(serving, chips)
  const processes = `srun --mpi=pmix --nodes ${hosts} --ntasks-per-node ${chips / hosts} trtllm-llmapi-launch `
  // By default it listens at localhost:8000 (commands/serve.py).
  const doors = serving.transfers ? ` --host 0.0.0.0 --port ${portOf(serving, 8000)}` : ''
  return {
    version: tensorrtVersion,
    command: `${visibleChips(serving, chips)}${hosts > 1 ? processes : ''}trtllm-serve ${modelWord(serving, formats)}${doors} --config ${name}`,
    files: [{ name, text: `${JSON.stringify(options, null, 2)}\n` }],
  }
}

/** Slots of all chips; copies move at run time. CUTLASS supports them; the only backend that once did (WIDEEP) is gone. */
function balancerOptions({ redundantExperts, model }: Serving): TensorrtOptions {
  if (redundantExperts === 0) return {}
  const slots = (model.experts?.experts ?? 0) + redundantExperts
  return {
    moe_config: { backend: 'CUTLASS', load_balancer: { num_slots: slots, layer_updates_per_iter: 1 } },
  }
}

/** By default a request waits until there is room for all tokens that it may have (GUARANTEED_NO_EVICT), so that fewer would run than planned. */
function capacityOptions({ partlyFilled }: Serving): TensorrtOptions {
  return partlyFilled ? { scheduler_config: { capacity_scheduler_policy: 'MAX_UTILIZATION' } } : {}
}

/**
 * By default blocks are kept for prompts that begin alike. Of models with a recurrence that takes snapshots of states beside the one that a plan
 * counts of each sequence (one for every 256 positions, mamba_state_cache_interval), and releases of 2025 assert that it is off ("mamba hybrid cache
 * requires block reuse to be disabled"). Source: NVIDIA/TensorRT-LLM pull requests 3663, 12185 and 12896, docs/source/features/kvcache.md 0076e93
 * (Mamba Snapshot Boundaries: none but those that are asked for, in releases of late 2026).
 */
function reuseOptions({ model, keepsPrefixes }: Serving): TensorrtOptions {
  return model.recurrence !== undefined && !keepsPrefixes ? { enable_block_reuse: false } : {}
}

/** By default only steps of up to 128 sequences have a graph, and only for some sizes; plans assume that all have one. */
function graphOptions(serving: Serving): TensorrtOptions {
  if (serving.mode === 'prefill') return {}
  return { cuda_graph_config: { enable_padding: true, max_batch_size: graphedSequences(serving) } }
}

/** Source: tensorrt_llm/llmapi/llm_args.py 0004396 (MTPDecodingConfig, where max_draft_len has taken the place of num_nextn_predict_layers; DraftTargetDecodingConfig). */
function draftOptions({ drafts }: Serving): TensorrtOptions {
  if (!drafts || drafts.by === 'head' || isUnnamed(drafts)) return {}
  const { tokens, by, release } = drafts
  const what =
    by === 'layers'
      ? { decoding_type: 'MTP', max_draft_len: tokens }
      : { decoding_type: 'Draft_Target', max_draft_len: tokens, speculative_model: release }
  return { speculative_config: what }
}

/** A file is not a command, which a shell could put a name into. */
function draftNote({ drafts }: Serving): string | null {
  if (!drafts) return null
  if (!isUnnamed(drafts)) {
    return headNote(
      drafts,
      'TensorRT-LLM',
      (tokens) =>
        `speculative_config: {"decoding_type": "Eagle3", "max_draft_len": ${tokens}, "speculative_model": …}`,
    )
  }
  return `TensorRT-LLM is started without drafts, which the plan counts on, until its file has speculative_config: {"decoding_type": "Draft_Target", "max_draft_len": ${drafts.tokens}, "speculative_model": …}, with a checkpoint of ${drafts.name}.`
}

function tokenOptions(serving: Serving): TensorrtOptions {
  const { mode, chunked, unitSequences, readTokens, contextLength, stepPositions } = serving
  const generated = unitSequences * stepPositions
  if (mode === 'generate') return generated > batchedTokens ? { max_num_tokens: generated } : {}
  const blocks = wholePages(readTokens, blockPositions)
  if (mode === 'serve') return { max_num_tokens: blocks, enable_chunked_prefill: true }
  // Prompts longer than a mean one are refused otherwise.
  const parts = chunked || contextLength > readTokens
  return { max_num_tokens: parts ? blocks : readTokens, enable_chunked_prefill: parts }
}

function notes(serving: Serving): readonly string[] {
  return compact(
    replicaNote(serving, 'TensorRT-LLM'),
    draftNote(serving),
    graphNote(serving, 'TensorRT-LLM'),
    pagesNote(serving, 'TensorRT-LLM', blockPositions),
    unpackedNote(serving.setting, 'TensorRT-LLM'),
    checkpointNote(serving, 'TensorRT-LLM', formats),
    storedCacheNote('TensorRT-LLM', formats, serving),
    hostNotes(
      serving,
      'TensorRT-LLM',
      replicaChips(serving),
      'start one process on each chip by trtllm-llmapi-launch under MPI.',
    ),
  )
}
