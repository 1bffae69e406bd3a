/**
 * Names under which a catalogue may have a model, made from the name of a release: without its owner, and without the words that name a
 * release of a model (Instruct, FP8, hf) and not another model. `meta-llama/Llama-3.1-70B-Instruct-FP8` may be `llama-3.1-70b`.
 */
import { ownValue } from '../fields.ts'

/**
 * Catalogue names of releases that write the size in another way, or leave it out; of a model that also sees or hears, the name of its
 * language model, where the config.json has the same dimensions and as many positions. Sources of those: ai-dynamo/aiconfigurator @095f58a51c,
 * model_configs (Qwen3-VL); alibaba/Pai-Megatron-Patch @a098ca5, examples/qwen2 and qwen2_5_vl; NVIDIA-NeMo/Megatron-Bridge @067f987df,
 * models/glm_vl (GLM-4.5V, 4.6V); AI-Hypercomputer/maxtext, configs/models (deepseek3-671b-2dfsdp and -batchsplit, which are sharded in other ways).
 */
const others: Readonly<Record<string, string>> = {
  'llama-4-maverick-17b-128e': 'llama-4-maverick',
  'llama-4-17b-128e': 'llama-4-maverick',
  'llama-4-scout-17b-16e': 'llama-4-scout',
  'llama-4-17b-16e': 'llama-4-scout',
  'deepseek-3-671b': 'deepseek-v3',
  'deepseek-3-671b-2dfsdp': 'deepseek-v3',
  'deepseek-3-671b-batchsplit': 'deepseek-v3',
  'llama-3-405b': 'llama-3.1-405b',
  'deepseek-2-236b': 'deepseek-v2',
  'deepseek-2-16b': 'deepseek-v2-lite',
  'deepseek-v2-lite-chat': 'deepseek-v2-lite',
  'deepseek-v3.1': 'deepseek-v3',
  'kimi-k2-1t': 'kimi-k2',
  'qwen3-480b-a35b': 'qwen3-coder-480b-a35b',
  'qwen2-1.5b': 'qwen2.5-1.5b',
  'qwen2-7b': 'qwen2.5-7b',
  'qwen2-72b': 'qwen2.5-72b',
  'qwen2.5-vl-7b': 'qwen2.5-7b',
  'qwen2.5-vl-32b': 'qwen2.5-32b',
  'qwen2.5-vl-72b': 'qwen2.5-72b',
  'qwen3-vl-4b': 'qwen3-4b-2507',
  'qwen3-vl-30b-a3b': 'qwen3-30b-a3b-2507',
  'qwen3-vl-235b-a22b': 'qwen3-235b-a22b-2507',
  'gpt-3-6b': 'gpt-3-6.7b',
  'mistral-large': 'mistral-large-2-123b',
  'mistral-nemo': 'mistral-nemo-12b',
  'mistral-small-3.1-24b': 'mistral-small-24b',
  'mistral-small-3.2-24b': 'mistral-small-24b',
  'devstral-small': 'mistral-small-24b',
  'magistral-small': 'mistral-small-24b',
  'olmo-2-1124-7b': 'olmo-2-7b',
  'olmo-2-1124-13b': 'olmo-2-13b',
  'olmo-2-0325-32b': 'olmo-2-32b',
  bloom: 'bloom-176b',
  'deepseek-r1-distill-llama-8b': 'llama-3.1-8b',
  'deepseek-r1-distill-llama-70b': 'llama-3.3-70b',
  'deepseek-r1-distill-qwen-7b': 'qwen2.5-7b',
  'deepseek-r1-distill-qwen-14b': 'qwen2.5-14b',
  'deepseek-r1-distill-qwen-32b': 'qwen2.5-32b',
  'deepseek-r1-0528-qwen3-8b': 'qwen3-8b',
  'llama-3.1-nemotron-70b': 'llama-3.1-70b',
  'llama-3.1-nemotron-nano-8b': 'llama-3.1-8b',
  'qwq-32b': 'qwen2.5-32b',
  'minimax-m2.1': 'minimax-m2',
  'minimax-m2.5': 'minimax-m2',
  'minimax-m2.7': 'minimax-m2',
  'glm-4.7': 'glm-4.6',
  'glm-4.5v': 'glm-4.5-air',
  'glm-4.6v': 'glm-4.5-air',
  'nvidia-nemotron-3-nano-30b-a3b': 'nemotron-3-nano-30b-a3b',
  'nvidia-nemotron-3-super-120b-a12b': 'nemotron-3-super-120b-a12b',
  'nvidia-nemotron-3-ultra-550b-a55b': 'nemotron-3-ultra-550b-a55b',
  'kimi-k2.7': 'kimi-k2.7-code',
  'deepseek-3.2-671b': 'deepseek-v3.2',
  'c4ai-command-r-v01': 'command-r',
  'c4ai-command-r': 'command-r-08-2024',
  'c4ai-command-r-08-2024': 'command-r-08-2024',
  'c4ai-command-r-plus': 'command-r-plus',
  'c4ai-command-a': 'command-a',
  'c4ai-command-r7b': 'command-r7b',
  'internlm2-chat-7b': 'internlm2-7b',
  'internlm2-chat-20b': 'internlm2-20b',
  'internlm2_5-7b': 'internlm2-7b',
  'internlm2.5-7b': 'internlm2-7b',
  'internlm2_5-20b': 'internlm2-20b',
  'olmo-3.1-32b': 'olmo-3-32b',
  'olmo-3-1025-7b': 'olmo-3-7b',
  'olmo-3-1125-32b': 'olmo-3-32b',
  'yi-1.5-6b': 'yi-6b',
  'yi-1.5-34b': 'yi-34b',
  'dots.llm1.inst': 'dots.llm1',
  'dots.llm1.base': 'dots.llm1',
  'qwen3-4b-instruct-2507': 'qwen3-4b-2507',
  'qwen3-4b-thinking-2507': 'qwen3-4b-2507',
  'qwen3-30b-a3b-instruct-2507': 'qwen3-30b-a3b-2507',
  'qwen3-30b-a3b-thinking-2507': 'qwen3-30b-a3b-2507',
  'qwen3-235b-a22b-instruct-2507': 'qwen3-235b-a22b-2507',
  'qwen3-235b-a22b-thinking-2507': 'qwen3-235b-a22b-2507',
}

/** Words that mean another size or another kind of model, so that they cannot be cut off a name. */
const another =
  /^\d+(\.\d+)?[bmt]$|^distill|^(mini|nano|tiny|small|medium|large|xl|lite|air|flash|vl|vision|omni|multimodal|coder|math|next)$/

/** Words that name a release: how it was trained on or stored, its date or version, and how long its sequences are. */
const ofRelease = new RegExp(
  `^(${[
    'instruct|inst|chat|base|it|pt|sft|dpo|rlhf|pretrain(ed)?|thinking|think|reasoning|preview|deduped|original|hf|pytorch|maxtext|mcore',
    '(bf|fp)(16|32)|(nv|mx)?fp[48]|int[48]|w\\d+a\\d+|awq|gptq|gguf|bnb|nf4|[48]bits?|quantized(\\.w\\d+a\\d+)?|dynamic|static|block|kv|unsloth',
    'v\\d+(\\.\\d+)*|\\d{4}|\\d{6}|\\d+[km]',
  ].join('|')})$`,
)

/** Of those the words that leave the lengths of sequences as they are: how a release was tuned or is stored. */
const tunedOrStored =
  /^(instruct|inst|chat|base|it|pt|sft|dpo|hf|(bf|fp)(16|32)|(nv|mx)?fp[48]|int[48]|w\d+a\d+|awq|gptq|dynamic|static|block)$/

/**
 * Releases with words of a version, or of a name of its own, that have the positions of the catalogue's model by their config.json (Llama 4 as instructed
 * alone: what it was made of has a quarter and a fortieth of them).
 */
const samePositions =
  /^(llama-4-(maverick-17b-128e|scout-17b-16e)-instruct|mixtral-8x(7|22)b(-instruct)?-v0\.1|qwen3-(4b|30b-a3b|235b-a22b)-(instruct|thinking)-2507)(?=-|$)/

/** Whether a release of that name has the positions of the catalogue's model: others of the same shape are trained on longer sequences. */
export function hasPositionsOf(name: string, written: string): boolean {
  const plain = plainName(written)
  const rest = plain.replace(samePositions, '').split('-').filter(Boolean)
  const isKnown = samePositions.test(plain) && rest.every((part) => tunedOrStored.test(part))
  return cutNames(written).some((cut) => cut.name === name && (cut.same || isKnown))
}

/** Names to look up, the longest first. A word that means nothing is cut off only behind an owner or a path, where names are anyone's own. */
export function catalogueNames(written: string): readonly string[] {
  return cutNames(written).flatMap(({ name, unknown }) =>
    unknown.length > 0 && !isRepository(written) ? [] : [name],
  )
}

/** Of the words that are cut off to get a name of the catalogue, those that name no release. */
export function unknownWords(written: string, name: string): readonly string[] {
  return cutNames(written).find((cut) => cut.name === name)?.unknown ?? []
}

function cutNames(
  written: string,
): readonly { readonly name: string; readonly unknown: readonly string[]; readonly same: boolean }[] {
  const parts = plainName(written).split('-')
  return parts.flatMap((_, at) => {
    const [kept, rest] = [parts.slice(0, parts.length - at), parts.slice(parts.length - at)]
    const name = kept.join('-')
    const unknown = rest.filter((part) => part !== '' && !ofRelease.test(part))
    const same = ownValue(others, name) === undefined && rest.every((part) => tunedOrStored.test(part))
    return rest.some((part) => another.test(part))
      ? []
      : [{ name: ownValue(others, name) ?? name, unknown, same }]
  })
}

/** Without its owner, in small letters, with its number apart. */
function plainName(written: string): string {
  const path = written.slice(0, 200).replace(/\/+$/, '')
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^meta-/, '')
    .replace(/^(llama|gpt|gemma|deepseek|olmo)(\d)/, '$1-$2')
}

/** Whether a name is one on Hugging Face, or a path, by which a checkpoint can be loaded. */
export function isRepository(name: string): boolean {
  return name.includes('/')
}

/** What its name says of how a checkpoint is quantised, in the words of a config.json; null when it says nothing. */
export function configNamed(written: string): Readonly<Record<string, unknown>> | null {
  return quantisations.find(([pattern]) => pattern.test(written))?.[1] ?? null
}

const eights = { num_bits: 8, type: 'int' }

/**
 * The quantisation that checkpoints with such names usually have, the first that a name says. Scales of bitsandbytes, which are quantised again in
 * its checkpoints, are unfolded when vLLM loads them (dequantize_dq in its bitsandbytes_loader.py), so that they count as they then are.
 */
const quantisations: readonly (readonly [RegExp, Readonly<Record<string, unknown>>])[] = [
  [
    /[-_.](bnb|bitsandbytes)[-_.]8-?bits?\b/i,
    quantised({ quant_method: 'bitsandbytes', load_in_8bit: true }),
  ],
  [/[-_.](bnb|bitsandbytes|nf4)\b/i, quantised({ quant_method: 'bitsandbytes', load_in_4bit: true })],
  [/^amd\/.*[-_]w-mxfp4-a-fp8\b/i, ofQuark('fp4', 'fp8_e4m3')],
  [/^amd\/.*[-_]mxfp4\b/i, ofQuark('fp4', 'fp4')],
  [/[-_]mxfp4\b/i, quantised({ quant_method: 'mxfp4' })],
  [/[-_]mxfp8\b/i, quantised({ quant_method: 'fp8', weight_block_size: [1, 32] })],
  [/^nvidia\/.*[-_](nv)?fp4\b/i, ofModelopt('NVFP4')],
  [/^nvidia\/.*[-_]fp8\b/i, ofModelopt('FP8')],
  [/[-_](nv)?fp4\b/i, quantised({ quant_method: 'modelopt', quant_algo: 'NVFP4' })],
  [/[-_]fp8-kv\b/i, quantised({ quant_method: 'fp8', kv_cache_scheme: { num_bits: 8, type: 'float' } })],
  [/[-_]fp8\b/i, quantised({ quant_method: 'fp8' })],
  [
    /[-_.]w8a8\b/i,
    quantised({
      quant_method: 'compressed-tensors',
      config_groups: { all: { weights: eights, input_activations: eights } },
    }),
  ],
  [/[-_.](int8|w8a16)\b/i, quantised({ quant_method: 'gptq', bits: 8 })],
  [/^nvidia\/.*[-_.]awq\b/i, quantised({ quant_method: 'modelopt', quant_algo: 'W4A16_AWQ' })],
  [/[-_.]awq\b/i, quantised({ quant_method: 'awq', bits: 4 })],
  [/[-_.]gptq[-_.]8-?bits?\b/i, quantised({ quant_method: 'gptq', bits: 8 })],
  [/[-_.](gptq|w4a(16|8)|int4|4-?bits?)\b/i, quantised({ quant_method: 'gptq', bits: 4 })],
  [/[-_.]8-?bits?\b/i, quantised({ quant_method: 'gptq', bits: 8 })],
  [/[-_]bf16\b/i, { torch_dtype: 'bfloat16' }],
]

/**
 * NVIDIA's own releases say that caches are in FP8: hf_quant_config.json of 23 of 26 that ai-dynamo/aiconfigurator @095f58a51c has, and not those of DeepSeek-V4
 * and MiniMax-M3.
 */
function ofModelopt(algorithm: string) {
  return quantised({ quant_method: 'modelopt', quant_algo: algorithm, kv_cache_quant_algo: 'FP8' })
}

function quantised(config: Readonly<Record<string, unknown>>) {
  return { torch_dtype: 'bfloat16', quantization_config: config }
}

/** AMD's own releases in MXFP4 have what meets their weights in four bits too (`--quant_scheme w_mxfp4_a_mxfp4` of their model cards), unless they say otherwise. */
function ofQuark(weight: string, input: string) {
  const types = { weight: { dtype: weight }, input_tensors: { dtype: input } }
  return quantised({ quant_method: 'quark', global_quant_config: types })
}
