/**
 * SGLang flags (`python -m sglang.launch_server`). Tensor parallelism is the plan's `heads`; a pipeline is fed in groups of
 * at most --pp-max-micro-batch-size; replicas share a server on one host, and are servers of their own on several. With
 * --enable-dp-attention attention is by sequences, and --dp-size are its groups within --tp-size; --ep-size are the chips
 * that have whole experts, within it too; with copies, which --enable-eplb moves to where tokens go, a chip has
 * (experts + copies) / --ep-size. Decode context parallelism shares out the positions of latent attention alone. Prompts have to be six positions shorter than the
 * context length. Source: sgl-project/sglang, python/sglang/srt/server_args.py 001067f (2026),
 * managers/{scheduler,tp_worker}.py, eplb/expert_location.py, layers/quantization/mxfp4.py (experts alone); docs.sglang.io,
 * advanced_features/{dp_dpa_smg_guide,expert_parallelism,dcp}.
 */
import { expertLayers } from '../../model/expert-layers.ts'
import { faults } from '../../rules/rule.ts'
import type { Launch } from '../launch.ts'
import { attentionCopyNotes, denseGroupsRule } from '../server/attention-copies.ts'
import {
  checkpointNotes,
  type Formats,
  quantizesItself,
  unpackedNotes,
  unpackedRule,
} from '../server/formats.ts'
import { memoryShares } from '../server/memory-shares.ts'
import { modelWord } from '../server/model-word.ts'
import { hostChips, hostNotes, replicaChips, replicaNotes } from '../server/notes.ts'
import { type ServingRules, servingRules } from '../server/rules.ts'
import type { Serving } from '../server/serving.ts'
import { firstHost, hostRank, type Start, shellWords } from '../start.ts'
import { isAmd } from '../vendor.ts'
import { promptMargin } from './prompt-margin.ts'
import { sglangVersion } from './version.ts'

type Flag = string | number

const formats: Formats = {
  pairs: ['bf16/bf16', 'fp32/fp32', 'fp8/fp8', 'int8/int8', 'int4/bf16', 'fp4/fp4', 'fp4/bf16'],
  caches: { bf16: 'bf16', fp8: 'fp8_e4m3', fp4: 'nvfp4', nvfp4: 'nvfp4' },
}

/** What SGLang cannot run. */
export const sglangRules: ServingRules = servingRules('SGLang', formats, [
  denseGroupsRule('SGLang'),
  unpackedRule('SGLang'),
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: "SGLang's prefill context parallelism splits the tensor chips; the plan adds to them",
  },
  {
    broken: ({ sharesPositions, model }) => sharesPositions && model.attention.latent === null,
    says: 'SGLang shares out the positions of latent attention alone',
  },
  {
    broken: ({ sharesPositions, mode }) => sharesPositions && mode === 'prefill',
    says: 'SGLang shares out the positions of caches in generation, not in prefill',
  },
])

export function sglang(serving: Serving): Launch<readonly string[]> {
  const unsupported = faults(sglangRules, serving)
  if (unsupported.length > 0) return { unsupported }
  const flags = [
    ...meshFlags(serving),
    ...batchFlags(serving),
    ...numberFlags(serving),
    ...transferFlags(serving),
  ]
  return { flags: flags.map(String), start: sglangStart(serving, flags), notes: notes(serving) }
}

function sglangStart(serving: Serving, flags: readonly Flag[]): Start {
  const chips = sharesServer(serving) ? serving.setting.cluster.chips : replicaChips(serving)
  const hosts = Math.ceil(chips / hostChips(serving))
  const nodes = ` --nnodes ${hosts} --node-rank ${hostRank} --dist-init-addr ${firstHost}:20000`
  return {
    version: sglangVersion,
    command: `python3 -m sglang.launch_server --model-path ${modelWord(serving)} ${shellWords(flags)}${hosts > 1 ? nodes : ''}`,
    files: [],
  }
}

function transferFlags({ transfers, mode }: Serving): readonly Flag[] {
  if (!transfers) return []
  const role = mode === 'prefill' ? 'prefill' : 'decode'
  return ['--disaggregation-mode', role, '--disaggregation-transfer-backend', 'nixl']
}

function meshFlags(serving: Serving): readonly Flag[] {
  const { mesh, tensors, sharesPositions, attentionGroups, unitSequences, experts, model } = serving
  const { redundantExperts, halved } = serving
  const apart = experts?.sends === true
  return [
    ...['--tp-size', tensors],
    ...(mesh.pipeline > 1 ? ['--pp-size', mesh.pipeline, '--pp-max-micro-batch-size', unitSequences] : []),
    ...(attentionGroups > 1 ? ['--enable-dp-attention', '--dp-size', attentionGroups] : []),
    ...(experts?.whole ? ['--ep-size', tensors] : []),
    ...(apart ? ['--moe-a2a-backend', isAmd(serving.setting.cluster.chip) ? 'mori' : 'deepep'] : []),
    ...(redundantExperts > 0 ? ['--enable-eplb', '--ep-num-redundant-experts', redundantExperts] : []),
    ...(halved ? ['--enable-two-batch-overlap'] : []),
    ...(apart && expertLayers(model) < model.layers ? ['--moe-dense-tp-size', 1] : []),
    ...(sharesServer(serving) ? ['--dp-size', mesh.data] : []),
    ...(sharesPositions ? ['--dcp-size', tensors] : []),
  ]
}

/** Requests and chunks are counted over all groups of a server under attention by sequences. */
function batchFlags(serving: Serving): readonly Flag[] {
  const { mode, contextLength, sequences, unitTokens, chunked, attentionGroups } = serving
  const chunk = chunked ? unitTokens * attentionGroups : -1
  const prompts = ['--chunked-prefill-size', chunk, '--max-prefill-tokens', unitTokens]
  return [
    ...['--context-length', contextLength + (mode === 'prefill' ? promptMargin : 0)],
    ...['--max-running-requests', sequences * attentionGroups],
    ...(mode === 'prefill' ? prompts : []),
  ]
}

function numberFlags(serving: Serving): readonly Flag[] {
  const { precision } = serving.setting
  return [
    ...['--mem-fraction-static', memoryShares(serving).lasting],
    ...['--dtype', precision.compute === 'fp32' ? 'float32' : 'bfloat16'],
    ...(quantizesItself(precision) ? ['--quantization', 'fp8'] : []),
    ...['--kv-cache-dtype', formats.caches[precision.kvCache] ?? 'auto'],
  ]
}

/** Replicas on several hosts cannot. */
function sharesServer(serving: Serving): boolean {
  const { mesh, setting, attentionGroups } = serving
  return mesh.data > 1 && attentionGroups === 1 && setting.cluster.chips <= hostChips(serving)
}

function notes(serving: Serving): readonly string[] {
  return [
    ...(sharesServer(serving) ? [] : replicaNotes(serving, 'SGLang')),
    ...(serving.attentionGroups > 1
      ? ['SGLang has attention by sequences for DeepSeek, Qwen and like models.']
      : []),
    ...(serving.experts?.sends
      ? [`SGLang: ${isAmd(serving.setting.cluster.chip) ? 'MoRI' : 'DeepEP'} has to be installed.`]
      : []),
    ...attentionCopyNotes(serving, 'SGLang'),
    ...unpackedNotes(serving.setting, 'SGLang'),
    ...checkpointNotes(serving, 'SGLang', ['fp8/fp8']),
    ...hostNotes(
      serving,
      'SGLang',
      replicaChips(serving),
      'a server over several of them takes --nnodes, --node-rank and --dist-init-addr.',
    ),
  ]
}
