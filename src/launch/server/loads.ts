/**
 * In what slices a server loads a stored checkpoint, and with what caches. What bitsandbytes stores cannot be cut, so that vLLM and SGLang load
 * it in one tensor rank alone (both bitsandbytes loaders: "Prequant BitsAndBytes models with tensor parallelism is not supported").
 */
import type { Checkpoint } from '../../model/hugging-face/checkpoint.ts'
import type { Setting } from '../../problem.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Formats } from './formats.ts'
import type { Serving } from './serving.ts'

/** The quantised checkpoint whose types the plan has; undefined where it has none, or none is known. */
function storedOf({ precision, checkpoints = [] }: Setting): Checkpoint | undefined {
  if (precision.parameterBytes === undefined) return undefined
  const { checkpoint, weights } = precision
  return checkpoints.find((one) => one.name === checkpoint && one.weights === weights)
}

function methodOf(setting: Setting): string | undefined {
  return storedOf(setting)?.quantized?.method
}

/** Methods whose weights are packed so that they cannot be sliced. */
const unsliced: readonly string[] = ['bitsandbytes']

export function unslicedRule(framework: string, ranksOf: (serving: Serving) => number): Rule<Serving> {
  return {
    broken: (serving) => ranksOf(serving) > 1 && unsliced.includes(methodOf(serving.setting) ?? ''),
    says: (serving) =>
      `${framework} loads what ${methodOf(serving.setting)} has stored in one tensor rank, and the plan has ${ranksOf(serving)}: stages and replicas may be more`,
  }
}

/** The word of a server for caches of whatever type the checkpoint says, which has no other word for 16 bits. */
const asStored = 'auto'

/** Source: NVIDIA/TensorRT-LLM, _torch/pyexecutor/model_loader.py (validate_and_set_kv_cache_quant: fp8, nvfp4 or auto). */
export function storedCacheRule(framework: string, { caches }: Formats): Rule<Serving> {
  return {
    broken: ({ setting }) => {
      const { kvCache } = setting.precision
      const stored = storedOf(setting)?.quantized?.kvCache
      return stored !== undefined && stored !== kvCache && caches[kvCache] === asStored
    },
    says: ({ setting }) =>
      `${framework} keeps caches in the type that the checkpoint says, ${storedOf(setting)?.quantized?.kvCache}, unless it is told a narrow one; the plan has them in ${setting.precision.kvCache}`,
  }
}

/** What is not known of a checkpoint's caches matters where the server is told to take what it says. */
export function storedCacheNote(framework: string, { caches }: Formats, { setting }: Serving): string | null {
  const { kvCache, checkpoint = 'the checkpoint' } = setting.precision
  if (caches[kvCache] !== asStored || storedOf(setting)?.guessedFrom === undefined) return null
  return `${framework} keeps caches in the type that ${checkpoint} says (kv_cache_quant_algo of its hf_quant_config.json), which is not known: if that is fp8, say it in precision.kvCache.`
}
