/** Why vLLM cannot serve a plan. Source: as flags.ts, and verify_with_parallel_config in vllm/config/model.py. */

import { innermostUnit } from '../../hardware/network/innermost-unit.ts'
import { usualCacheType } from '../../model/cache-type.ts'
import type { DeepEpRelease } from '../deep-ep-groups.ts'
import { type BesideGroups, denseGroupsRule } from '../server/attention-groups.ts'
import { besideEightRules, type Formats, multipliesBesideEight } from '../server/formats.ts'
import { unslicedRule } from '../server/loads.ts'
import { replicaChips } from '../server/notes.ts'
import {
  cachedHeads,
  chosenPositionsRule,
  type ServingRules,
  sentExpertsRule,
  servingRules,
  sharedPositionsRule,
  sharedStateRule,
  slicedExpertsRule,
} from '../server/rules.ts'
import { sentGroupsRule } from '../server/sent-groups.ts'
import { sentTokensRule } from '../server/sent-tokens.ts'
import type { Serving } from '../server/serving.ts'
import { headRanks, wholeBlocksRule } from '../server/slices.ts'
import { lengthOf } from './length.ts'
import { sentRoom } from './step-tokens.ts'

/** vLLM on GPUs or on TPUs: the plugin for TPUs is a different framework with the same flags. */
export interface Build {
  readonly name: string
  readonly formats: Formats
  readonly rules: ServingRules
}

export const gpuFormats: Formats = {
  pairs: [
    ...['bf16/bf16', 'fp32/fp32', 'fp8/fp8', 'fp8/bf16', 'int8/int8', 'int8/bf16'],
    ...['int4/bf16', 'fp4/fp4', 'fp4/fp8', 'fp4/bf16'],
  ],
  makes: ['fp8/fp8'],
  caches: {
    fp32: 'auto',
    bf16: 'bfloat16',
    fp8: 'fp8',
    int8: 'int8_per_token_head',
    int4: 'int4_per_token_head',
    fp4: 'nvfp4',
    nvfp4: 'nvfp4',
  },
}

const tpuFormats: Formats = {
  pairs: ['bf16/bf16', 'fp8/fp8', 'fp8/bf16', 'int8/int8', 'int4/bf16', 'fp4/bf16'],
  caches: { bf16: 'bfloat16', fp8: 'fp8' },
}

/** vllm-project/vllm 001cabc, vllm/v1/core/kv_cache_utils.py (_check_enough_kv_cache_memory). */
const roomRule: ServingRules[number] = {
  broken: ({ contextLength, longestPositions }) => longestPositions > 0 && longestPositions < contextLength,
  says: (serving) =>
    `vLLM does not start where caches have no room for one request of its longest: there is room for ${serving.longestPositions} positions, and --max-model-len is ${lengthOf(serving)}`,
}

const cacheRules: ServingRules = [
  roomRule,
  sharedPositionsRule('vLLM'),
  sharedStateRule('vLLM'),
  chosenPositionsRule('vLLM'),
  {
    broken: (serving) => serving.sharesPositions && serving.mode !== 'prefill' && cachedHeads(serving) > 1,
    says: (serving) =>
      `vLLM shares out positions (--decode-context-parallel-size) among the chips that have the same key-value head: ${serving.tensors} chips for ${cachedHeads(serving)} heads leave at most ${Math.max(1, Math.floor(serving.tensors / cachedHeads(serving)))}, and the plan has them among all ${serving.tensors}`,
  },
]

/**
 * vLLM numbers its ranks by data rank, then stage, then tensor: the stages of a data rank are next to one another, and
 * the data ranks of a stage, which exchange tokens of experts, are not. Source: vllm/distributed/parallel_state.py
 * (initialize_model_parallel). It makes no difference where a stage of one data rank fills whole domains anyway.
 */
const placeRule: ServingRules[number] = {
  broken: (serving) => {
    const { attentionGroups, mesh, setting, tensors } = serving
    const domain = innermostUnit(setting.cluster)
    if (attentionGroups === 1 || mesh.pipeline === 1 || replicaChips(serving) <= domain) return false
    return (tensors / attentionGroups) % domain !== 0
  },
  says: ({ attentionGroups, mesh }) =>
    `vLLM puts the ${mesh.pipeline} stages of each data-parallel rank next to one another, and so spreads the ${attentionGroups} ranks of a stage over hosts; the plan has those that exchange tokens together`,
}

/**
 * A server of vLLM sends tokens in one way, made for one phase: DeepEP's and MoRI's for many tokens run without CUDA graphs, and those for few
 * take prompts in small pieces (exchange.ts). One that does both phases starts with either, but is written to gather tokens
 * (allgather_reducescatter, the default). Pull request 46887 of June 2026 takes the kernels for many tokens out.
 */
const sentInOnePhaseRule: ServingRules[number] = {
  broken: ({ experts, mode }) => experts?.sends === true && mode === 'serve',
  says: 'vLLM sends tokens to experts in the way of one phase; a server that does both is written to gather them',
  unwritten: true,
}

/**
 * FlashInfer's kernels for MXFP4 beside MXFP8 take no tokens in a place for each expert, as DeepEP's for few bring them (exchange-variables.ts). They
 * take what those for many bring, by which no server that generates is written.
 */
const sentBesideEightRule: ServingRules[number] = {
  broken: (serving) =>
    serving.sentTokens > 0 && serving.experts?.sends === true && multipliesBesideEight(serving),
  says: ({ setting: { precision } }) =>
    `vLLM unpacks experts in ${precision.weights} to bf16 to which DeepEP's kernels for few tokens send; the plan multiplies them beside ${precision.compute}`,
  unwritten: true,
}

/**
 * Kernels for pooled positions keep vectors in a layout of their own (fp8_ds_mla): vLLM asserts the type (models/deepseek_v4/attention.py), whatever is
 * asked for. FlashInfer's for chips that scale blocks take bf16 in releases of late 2026, which nobody's recipe does.
 */
const ownCacheRule: ServingRules[number] = {
  broken: ({ model, setting }) => {
    const { cacheType } = model.attention.compressed ?? {}
    return cacheType !== undefined && cacheType !== setting.precision.kvCache
  },
  says: ({ model, setting }) =>
    `vLLM keeps caches of ${model.name} in ${usualCacheType(model)} alone; the plan in ${setting.precision.kvCache}`,
}

export const vllmDeepEp: DeepEpRelease = 'since'

const gpuRules: ServingRules = [
  {
    // Whatever drafts, a stage sends one token of each sequence to the next: vllm-project/vllm issues 44697, 49355 and 57755 (2026), all open. A head
    // is none of what the server is started with.
    broken: ({ drafts, mesh }) => drafts !== null && drafts.by !== 'head' && mesh.pipeline > 1,
    says: 'vLLM does not draft in a pipeline, in a release (0.29 and before)',
  },
  ownCacheRule,
  denseGroupsRule('vLLM'),
  sentExpertsRule('vLLM'),
  sentInOnePhaseRule,
  sentGroupsRule('vLLM', vllmDeepEp, { generate: 'few', prefill: 'many', serve: null }),
  sentBesideEightRule,
  sentTokensRule('vLLM', sentRoom),
  wholeBlocksRule('vLLM'),
  unslicedRule('vLLM', headRanks),
  ...besideEightRules('vLLM'),
  placeRule,
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: "vLLM's prefill context parallelism keeps whole caches on all its chips, and is for single models yet",
  },
  ...cacheRules,
]

const tpuRules: ServingRules = [
  slicedExpertsRule('vLLM on TPUs'),
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: 'vLLM on TPUs shards the MLP over the chips of prefill context parallelism; the plan copies it',
  },
  ...cacheRules,
  {
    broken: ({ setting: { cluster } }) => cluster.network.kind === 'torus' && cluster.network.slices > 1,
    says: 'vLLM on TPUs serves from one slice: plan for one, and start a server on each',
  },
  {
    broken: ({ model }) => model.attention.compressed !== undefined,
    says: 'attention to pooled positions (deepseek_v4) is not mapped to vLLM on TPUs',
    unwritten: true,
  },
  {
    broken: ({ model, attentionGroups }) => model.attention.latent !== null && attentionGroups === 1,
    says: 'vLLM on TPUs runs latent attention by sequences alone',
  },
]

/** A data rank has all that is not an expert. */
const ofRank: BesideGroups = { mlp: ['own'], experts: ['own'], unembedding: ['own'] }
/** Groups of attention lie within the tensor chips of all else (tpu_inference/layers/common/sharding.py). */
const ofTensor: BesideGroups = { mlp: ['all'], experts: ['all'], unembedding: ['all'] }

const onGpus = build('vLLM', gpuFormats, ofRank, gpuRules)
const onTpus = build('vLLM on TPUs', tpuFormats, ofTensor, tpuRules)

export function buildOf({ gpu }: Serving): Build {
  return gpu ? onGpus : onTpus
}

function build(name: string, formats: Formats, beside: BesideGroups, own: ServingRules): Build {
  return { name, formats, rules: servingRules(name, formats, beside, own) }
}
