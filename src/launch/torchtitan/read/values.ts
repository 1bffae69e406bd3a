/**
 * Values of torchtitan's settings that are a closed list, and the flavors that each model of the release has, to which one may add one's own.
 * Source: pytorch/torchtitan v0.2.2, torchtitan/config/job_config.py (Literal), torchtitan/models/{llama3,llama4,qwen3,deepseek_v3,gpt_oss}/__init__.py.
 */
import { compact } from '../../../compact.ts'
import type { ClosedValues } from '../../read/closed-values.ts'
import { wordsOf } from '../../read/left-over.ts'
import type { Misnamed } from '../../read/reading.ts'

const types = wordsOf('bfloat16 float32')

export const torchtitanValues: ClosedValues = {
  'training.dtype': types,
  'training.mixed_precision_param': types,
  'parallelism.fsdp_reshard_after_forward': wordsOf('default always never'),
  'parallelism.context_parallel_rotate_method': wordsOf('allgather alltoall'),
  'parallelism.expert_parallel_comm_backend': wordsOf('standard deepep'),
  'activation_checkpoint.mode': wordsOf('selective full memory_budget none'),
}

const debug = 'debugmodel'
const flex = `${debug}_flex_attn`

export const flavorsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['llama3', wordsOf(debug, flex, `${debug}_varlen_attn 8B 8B_flex 8B_varlen 70B 405B`)],
  ['llama4', wordsOf(debug, `${debug}_irope 17bx16e 17bx128e 17bx16e_irope 17bx128e_irope`)],
  ['qwen3', wordsOf(debug, `${debug}_moe 0.6B 1.7B 4B 8B 14B 32B 30B-A3B 235B-A22B`)],
  ['deepseek_v3', wordsOf(debug, flex, '16B 236B 671B')],
  ['gpt_oss', wordsOf(debug, '20b 120b')],
])

/** Models of the release that it does not cut into stages (pipelining_fn None). */
const uncut = ['qwen3', 'gpt_oss']

/** Why the release does not start a model on so many stages. */
export function refusedStages(name: string, pipeline: number): readonly string[] {
  const says = `the release of torchtitan has no pipeline for ${name}, which its main has`
  return pipeline > 1 && uncut.includes(name) ? [says] : []
}

/** Optimizers of the release (components/optimizer.py, build_optimizers), to which a model of one's own may add. */
export function unregisteredOptimizer(name: string): readonly Misnamed[] {
  const among = ['Adam', 'AdamW']
  return among.includes(name) ? [] : [{ option: 'optimizer.name', value: name, among }]
}

/**
 * Converters of the release (components/quantization/float8.py and mx.py), to which own code may add: of linear layers, and of experts alone. An
 * older name is still in its train_configs/llama3_405b.toml.
 */
const converters = {
  linear: wordsOf('quantize.linear.float8 quantize.linear.mx float8'),
  experts: wordsOf('quantize.grouped_mm.float8 quantize.grouped_mm.mx'),
}

export function unregisteredConverters(names: readonly string[]): readonly Misnamed[] {
  const among = Object.values(converters).flat()
  return names
    .filter((name) => !among.includes(name))
    .map((value) => ({ option: 'model.converters', value, among }))
}

/** Whether the matmuls of layers are in eight bits, not only those of experts. */
export function multipliesInEight(names: readonly string[]): boolean {
  return converters.linear.some((name) => names.includes(name))
}

/** How converters are costed, where that is not what they do. */
export function converterNotes(names: readonly string[]): readonly string[] {
  const experts = names.filter((name) => converters.experts.includes(name))
  return compact(
    names.some((name) => name.endsWith('.mx')) && 'MXFP8 is costed as other matmuls in fp8 are',
    !multipliesInEight(names) &&
      experts.length > 0 &&
      `${experts.join(', ')} without the matmuls of other layers is not counted: experts are costed in the type of all else`,
  )
}

/** What is recomputed selectively: by operation, or every so many layers (distributed/activation_checkpoint.py). */
export function misnamedSelection(mode: string, option: string): readonly Misnamed[] {
  const among = ['op', 'a number of layers']
  const known = mode !== 'selective' || /^(op|[1-9]\d*)$/.test(option)
  return known ? [] : [{ option: 'activation_checkpoint.selective_ac_option', value: option, among }]
}

/** Commands that are written here name a flavor that is to be registered so. */
const ours = /^shardplan-/

/** A flavor that is none of its model's in the release; none for a model that somebody else has. */
export function unregisteredFlavor(name: string, flavor: string): readonly Misnamed[] {
  const among = flavorsOf.get(name)
  if (!among || among.includes(flavor) || ours.test(flavor)) return []
  return [{ option: 'model.flavor', value: flavor, among }]
}
