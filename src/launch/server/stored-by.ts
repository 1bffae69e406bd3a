/**
 * How the checkpoint is quantised that a server loads, beside what --quantization says. vLLM and SGLang compare that with `quant_method` of
 * its config.json and do not start where they differ, but for the kernels that load the same numbers; AWQ and GPTQ are never made while
 * loading. Source: vllm-project/vllm 0052a5b, vllm/config/model.py (_verify_quantization), gptq_marlin.py, awq_marlin.py and moe_wna16.py
 * (override_quantization_method); sgl-project/sglang 001adf5, configs/model_config.py; both get_quant_config ("Cannot find the config file").
 */
import { ownValue } from '../../fields.ts'
import { plainType } from '../../hardware/peak.ts'
import type { Checkpoint } from '../../model/hugging-face/checkpoint.ts'
import { isRepository } from '../../model/release-name.ts'
import type { Setting } from '../../problem.ts'

interface Loading {
  /** Methods of checkpoints that it loads. */
  readonly loads: readonly string[]
  /** Whether it makes such weights of a checkpoint in 16 bits. */
  readonly makes: boolean
}

const awq: Loading = { loads: ['awq'], makes: false }
const gptq: Loading = { loads: ['gptq'], makes: false }
const either: Loading = { loads: ['awq', 'gptq'], makes: false }

const words: Readonly<Record<string, Loading>> = {
  ...{ awq, awq_marlin: awq, gptq, gptq_marlin: gptq, gptq_bitblas: gptq, marlin: either, moe_wna16: either },
  fp8: { loads: ['fp8'], makes: true },
  bitsandbytes: { loads: ['bitsandbytes'], makes: true },
}

/** What ModelOpt stores is loaded as such whatever the option says (vLLM's modelopt.py), or has names of its own (SGLang). */
const anyWord: readonly string[] = ['modelopt']

/** The first that fits. llm-compressor makes checkpoints with names of AWQ and GPTQ too, whose method is its own format; NVIDIA's are ModelOpt's. */
const byName: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^nvidia\/.*[-_.]awq\b/i, ['modelopt']],
  [/[-_.](bnb|bitsandbytes)\b/i, ['bitsandbytes']],
  [/[-_.]awq\b/i, ['awq', 'compressed-tensors']],
  [/[-_.]gptq\b/i, ['gptq', 'compressed-tensors']],
]

/** Any word of a name that says how many bits its weights have. */
const narrowName = /awq|gptq|gguf|bnb|nf4|quant|round|bit|int\d|fp\d|w\d+a\d+/i

/**
 * The methods that a release may be stored by; undefined where neither it nor its name is known to tell. The checkpoint is that of a
 * config.json, which has no name, or the one that its catalogue has for the name.
 */
export function storedBy(name: string, checkpoint: Checkpoint | undefined): readonly string[] | undefined {
  const own = checkpoint?.name === undefined || checkpoint.name.toLowerCase() === name.toLowerCase()
  const method = own && !checkpoint?.guessedFrom ? checkpoint?.quantized?.method : undefined
  if (method !== undefined) return [method.replace('_tensors', '-tensors')]
  const named = byName.find(([pattern]) => pattern.test(name))?.[1]
  const plain = isRepository(name) && !/^[./~$]/.test(name) && !narrowName.test(name)
  return named ?? (plain && checkpoint && !checkpoint.quantized ? [] : undefined)
}

/** Whether weights are in eight bits with a scale for each block of them. */
export function hasBlocksOfEight(checkpoint: Checkpoint | undefined): boolean {
  return checkpoint?.quantized?.block !== undefined && plainType(checkpoint.weights) === 'fp8'
}

/** How the checkpoint is stored that a plan's weights come from. */
export function storedIn({
  precision: { checkpoint, weights, parameterBytes },
  checkpoints = [],
}: Pick<Setting, 'precision' | 'checkpoints'>): readonly string[] | undefined {
  if (checkpoint === undefined && parameterBytes === undefined) return undefined
  const own = checkpoints.find((one) =>
    checkpoint === undefined ? one.weights === weights && one.quantized : one.name === checkpoint,
  )
  return storedBy(checkpoint ?? '', own)
}

/** Why a server does not load what is stored so; null if it does, as far as is known. */
export function refusedQuantization(
  written: string | null,
  stored: readonly string[] | undefined,
  named: string | null,
): string | null {
  const word = written === null ? undefined : ownValue(words, written)
  if (!word || !stored || stored.some((one) => anyWord.includes(one) || word.loads.includes(one))) return null
  const which = (named ?? 'the checkpoint').slice(0, 100)
  if (stored.length > 0)
    return `--quantization ${written} is refused for ${which}, which is stored by ${stored.join(' or ')}: without the option it is loaded as it is stored`
  return word.makes
    ? null
    : `--quantization ${written} is refused for ${which}, which is not quantised: a checkpoint of ${word.loads.join(' or ')} is loaded so, and --quantization fp8 makes one in fp8 as it loads`
}
