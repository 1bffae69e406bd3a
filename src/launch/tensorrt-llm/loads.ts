/**
 * How a checkpoint may be quantised that TensorRT-LLM loads, with the types of weights that it takes of each method; ModelOpt's in any. Everything else
 * raises NotImplementedError ("Unsupported quantization_config"): AWQ and GPTQ as transformers stores them, and Meta's fbgemm_fp8. Source:
 * NVIDIA/TensorRT-LLM, tensorrt_llm/llmapi/llm_utils.py (2026, _update_from_hf_quant_config) and
 * update_quant_config_from_compressed_tensors ("Supported: 8 (FP8) or 4 (NVFP4)").
 */
import { plainType } from '../../hardware/peak.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Rule } from '../../rules/rule.ts'
import { unpacksWeights } from '../server/formats.ts'
import type { Serving } from '../server/serving.ts'
import { storedBy, storedIn } from '../server/stored-by.ts'

const loaded: Readonly<Record<string, readonly ElementType[] | 'any'>> = {
  modelopt: 'any',
  fp8: ['fp8'],
  mxfp8: ['fp8'],
  mxfp4: ['fp4'],
  nvfp4: ['fp4'],
  'compressed-tensors': ['fp8', 'fp4'],
}

/** Whether it loads weights of the type by one of the methods; true where none is known. */
function isLoaded(stored: readonly string[] | undefined, weights: ElementType): boolean {
  if (!stored || stored.length === 0) return true
  return stored.some((method) => {
    const types = Object.hasOwn(loaded, method) ? loaded[method] : undefined
    return types === 'any' || types?.includes(plainType(weights))
  })
}

/** Its kernels for NVFP4 on chips without arithmetic in four bits have to be asked for (pull request 13476, for Nemotron on Hopper). */
const multipliedAlone: readonly ElementType[] = ['nvfp4']

export const nativeRule: Rule<Serving> = {
  broken: ({ setting: { precision } }) =>
    unpacksWeights(precision) && multipliedAlone.includes(precision.weights),
  says: ({ setting: { precision, cluster } }) =>
    `TensorRT-LLM multiplies weights in ${precision.weights} in fp4; unpacking them on ${cluster.chip.name} (moe_config.backend MARLIN) is not written`,
  unwritten: true,
}

export const loadsRule: Rule<Serving> = {
  broken: ({ setting }) => !isLoaded(storedIn(setting), setting.precision.weights),
  says: ({ setting }) => {
    const { precision, checkpoints = [] } = setting
    const { checkpoint = 'the checkpoint', weights } = precision
    const other = checkpoints.find(
      (one) =>
        one.name !== undefined &&
        plainType(one.weights) === plainType(weights) &&
        isLoaded(storedBy(one.name, one), one.weights),
    )
    const instead = other ? `: it loads ${other.name}, which model may name` : ''
    return `TensorRT-LLM does not load ${checkpoint} in ${weights}, which is stored by ${storedIn(setting)?.join(' or ')}${instead}`
  },
}
