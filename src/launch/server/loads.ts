/**
 * Which stored checkpoints a server loads, and in what slices. TensorRT-LLM raises NotImplementedError for a `quant_method` that it does not
 * read (NVIDIA/TensorRT-LLM 0066b2a, llmapi/llm_utils.py); what bitsandbytes stores cannot be cut, so that vLLM and SGLang load
 * it in one tensor rank alone (both bitsandbytes loaders: "Prequant BitsAndBytes models with tensor parallelism is not supported").
 */
import type { Setting } from '../../problem.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Serving } from './serving.ts'

/** The `quant_method` of the checkpoint whose types the plan has; undefined where it has none, or none is known. */
function methodOf({ precision, checkpoints = [] }: Setting): string | undefined {
  if (precision.parameterBytes === undefined) return undefined
  const { checkpoint, weights } = precision
  return checkpoints.find((one) => one.name === checkpoint && one.weights === weights)?.quantized?.method
}

export function loadsRule(framework: string, loads: readonly string[]): Rule<Serving> {
  return {
    broken: ({ setting }) => {
      const method = methodOf(setting)
      return method !== undefined && !loads.includes(method)
    },
    says: ({ setting }) =>
      `${framework} loads no checkpoint that is stored by ${methodOf(setting)}, as ${setting.precision.checkpoint ?? 'this one'} is; it loads ${loads.join(', ')}`,
  }
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
