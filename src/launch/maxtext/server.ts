/**
 * MaxText configuration of its own engine (MaxEngine, which JetStream serves; JetStream is archived since February
 * 2026, and MaxText's guides now serve through vLLM). Weights and caches are split over `tensor` by heads and F; caches
 * are not split over any other axis, so that each replica is a server. One prompt is prefilled at a time. The cache is
 * quantised independently; a model that MaxText has is named (model-names.ts), any other is spelled out; int8 weights need a checkpoint that was saved quantised. Source: AI-Hypercomputer/maxtext
 * e591f30 (August 2026), src/maxtext/configs/{base.yml,types.py}, inference/maxengine/maxengine.py,
 * inference/kvcache.py, layers/quantizations.py; AI-Hypercomputer/JetStream acd4f5a, README.
 */

import { compact } from '../../compact.ts'
import type { Launch } from '../launch.ts'
import { longName } from '../long-names.ts'
import { blockRule } from '../run/rules.ts'
import type { BesideGroups } from '../server/attention-groups.ts'
import { checkpointNote, type Formats, formatPair, typeWord } from '../server/formats.ts'
import { replicaNote } from '../server/notes.ts'
import { type ServingRules, servingRefusal, servingRules, slicedExpertsRule } from '../server/rules.ts'
import { ranksOf, rankWord, type Serving } from '../server/serving.ts'
import { type Start, shellWords } from '../start.ts'
import { maxtextBlock, modelKeys, noBlock } from './block.ts'
import { type MaxtextConfig, maxtextVersion, perDevice, settings } from './keys.ts'
import { maxtextName } from './model-names.ts'

const formats: Formats = {
  pairs: ['bf16/bf16', 'fp32/fp32', 'int8/int8'],
  caches: { fp32: '', bf16: '', int8: 'int8', int4: 'int4' },
}

const noGroups: BesideGroups = { mlp: [], experts: [], unembedding: [] }

/** Why MaxText's engine cannot serve a plan. */
export const maxtextRules: ServingRules = servingRules('MaxText', formats, noGroups, [
  slicedExpertsRule('MaxText'),
  { broken: ({ mesh }) => mesh.pipeline > 1, says: "MaxText's engine has no pipeline" },
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: 'MaxText shards weights over context; the plan copies them',
  },
  {
    broken: ({ sharesPositions, attentionGroups }) => sharesPositions || attentionGroups > 1,
    says: 'MaxText shards caches by heads alone',
  },
  {
    broken: (serving) => serving.sharesHeads && serving.model.kvHeads % ranksOf(serving) !== 0,
    says: (serving) =>
      `MaxText keeps all ${serving.model.kvHeads} key-value heads on a chip where ${ranksOf(serving)} ${rankWord(serving)} do not divide them`,
  },
  {
    broken: ({ mode, sequences }) => mode === 'prefill' && sequences > 1,
    says: "MaxText's engine prefills one prompt at a time",
  },
  {
    broken: ({ drafts }) => drafts !== null,
    says: "drafts are not mapped to keys of MaxText's engine",
    unwritten: true,
  },
  blockRule('MaxText'),
  { broken: (serving) => blockOf(serving) === null, says: noBlock },
])

function blockOf({ model, contextLength, setting }: Serving) {
  return maxtextBlock({ model, sequenceLength: contextLength, problem: setting })
}

export function maxtext(serving: Serving): Launch<MaxtextConfig> {
  const refusal = servingRefusal(maxtextRules, serving)
  const block = blockOf(serving)
  if (!block || refusal.unsupported.length > 0) return refusal
  const name = maxtextName(serving.model)
  const model = name === null ? modelKeys(serving.model, block) : { model_name: name }
  const flags = { ...model, ...meshConfig(serving), ...batchConfig(serving), ...numberConfig(serving) }
  return { flags, start: engineStart(flags), notes: notes(serving) }
}

function engineStart(flags: MaxtextConfig): Start {
  const weights = `load_parameters_path="\${CHECKPOINT:?where the weights are}"`
  const command = `python3 -m maxtext.inference.maxengine.maxengine_server ${weights} ${shellWords(settings(flags))}`
  return { version: maxtextVersion, command, files: [] }
}

function meshConfig(serving: Serving): MaxtextConfig {
  return { ici_data_parallelism: 1, ici_fsdp_parallelism: 1, ici_tensor_parallelism: ranksOf(serving) }
}

/** Caches of prompts and of what is generated behind them are apart: the latter have the positions that max_prefill_predict_length leaves (inference/kvcache.py). */
function batchConfig(serving: Serving) {
  const { mode, sequences, contextLength, unitTokens, chunked, prompts } = serving
  const prefill = mode === 'prefill'
  return {
    per_device_batch_size: perDevice(sequences, ranksOf(serving)),
    max_target_length: contextLength + (prefill ? 1 : 0),
    ...(prefill ? { max_prefill_predict_length: contextLength } : {}),
    ...(prompts ? { max_prefill_predict_length: prompts.contextLength } : {}),
    ...(chunked ? { use_chunked_prefill: true, prefill_chunk_size: unitTokens } : {}),
    dtype: typeWord(serving),
  }
}

function numberConfig({ setting: { precision } }: Serving): MaxtextConfig {
  const cache = formats.caches[precision.kvCache]
  return {
    weight_dtype: longName(precision.weights),
    ...(formatPair(precision) === 'int8/int8' ? { quantization: 'int8', checkpoint_is_quantized: true } : {}),
    ...(cache ? { quantize_kvcache: true, kv_quant_dtype: cache } : {}),
  }
}

function notes(serving: Serving): readonly string[] {
  const asked = 'MaxText: set max_prefill_predict_length to the longest prompt.'
  const name = maxtextName(serving.model)
  const unnamed =
    'MaxText has no model of this name: its positions, norms and biases, which dimensions do not say, are those of base.yml.'
  return compact(
    replicaNote(serving, 'MaxText'),
    serving.mode === 'generate' ? [asked] : [],
    name === null ? [unnamed] : [],
    "MaxText: its engine needs JetStream, which is archived; MaxText's own guide serves its models by vllm serve on TPUs.",
    checkpointNote(serving, 'MaxText', formats),
  )
}
