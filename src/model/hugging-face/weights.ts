/**
 * The element type that a config says its weights are stored in: that of its quantisation, else its dtype.
 *
 * Quantisers leave parts alone (embeddings, the head, the router); all weights are taken as quantised. Scales are
 * not counted. Types without a counterpart are taken as the next wider one that has: fp16 as bf16, 2 and 3 bits as 4.
 * Source: transformers, utils/quantization_config.py, and the quantisers' own formats.
 */
import type { ElementType } from '../../hardware/chip.ts'
import type { Fields } from './fields.ts'

type Stored = ElementType | undefined

const dtypes: Readonly<Record<string, ElementType>> = {
  float64: 'fp32',
  float32: 'fp32',
  bfloat16: 'bf16',
  float16: 'bf16',
  float8_e4m3fn: 'fp8',
  float8_e5m2: 'fp8',
}

const methods: Readonly<Record<string, (quantization: Fields) => Stored>> = {
  fp8: () => 'fp8',
  fbgemm_fp8: () => 'fp8',
  mxfp4: () => 'fp4',
  gptq: integers('bits'),
  awq: integers('bits', 'w_bit'),
  'auto-round': integers('bits'),
  hqq: (quantization) =>
    integers('nbits')(quantization.part('quant_config').part('weight_quant_params')) ??
    integers('nbits')(quantization),
  eetq: () => 'int8',
  bitsandbytes: (quantization) => {
    const four = quantization.flag('load_in_4bit') ?? quantization.flag('_load_in_4bit')
    const eight = quantization.flag('load_in_8bit') ?? quantization.flag('_load_in_8bit')
    return four ? 'int4' : eight ? 'int8' : undefined
  },
  'compressed-tensors': groups,
  modelopt: (quantization) => algorithm(quantization) ?? groups(quantization),
}

const algorithms: Readonly<Record<string, ElementType>> = {
  FP8: 'fp8',
  NVFP4: 'fp4',
  MXFP4: 'fp4',
  W4A16_AWQ: 'int4',
  W4A8_AWQ: 'int4',
  INT8: 'int8',
  W8A16: 'int8',
}

export function storedWeights(config: Fields, above: Fields = config): Stored {
  return (
    quantized(config) ?? (above === config ? undefined : quantized(above)) ?? dtype(config) ?? dtype(above)
  )
}

function quantized(config: Fields): Stored {
  const mlx = integers('bits')(config.part('quantization'))
  if (mlx !== undefined) return mlx
  const quantization = config.part('quantization_config')
  const named = quantization.text('quant_method')
  const grouped = quantization.text('quant_algo') ?? quantization.part('config_groups').unread()[0]
  const method = named ?? (grouped === undefined ? undefined : 'modelopt')
  if (method === undefined) return undefined
  const stored = Object.hasOwn(methods, method) ? methods[method]?.(quantization) : undefined
  if (stored === undefined) {
    config.note(
      `quantization_config: ${method.slice(0, 40)} is not known, the weights are taken as its dtype says`,
    )
  } else if (left(quantization)) {
    config.note(`quantization_config: parts that it leaves alone are taken as ${stored} too`)
  }
  return stored
}

function left(quantization: Fields): boolean {
  const lists = [
    'modules_to_not_convert',
    'ignore',
    'ignored_layers',
    'exclude_modules',
    'llm_int8_skip_modules',
  ]
  return lists.some((name) => (quantization.list(name) ?? []).some((module) => module !== 'lm_head'))
}

function integers(...names: readonly string[]) {
  return (quantization: Fields): Stored => {
    const bits = quantization.number(names, 64)
    if (bits === undefined || bits > 8) return undefined
    return bits > 4 ? 'int8' : 'int4'
  }
}

function algorithm(quantization: Fields): Stored {
  const name = quantization.text('quant_algo')
  return name !== undefined && Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
}

/** Groups of modules, each with its scheme: the first says what most weights are. */
function groups(quantization: Fields): Stored {
  const all = quantization.part('config_groups')
  const [first] = all.unread()
  if (first === undefined) return undefined
  const weights = all.part(first).part('weights')
  const kind = weights.text('type')
  const stored = integers('num_bits')(weights)
  if (kind !== 'float') return stored
  return stored === 'int8' ? 'fp8' : stored === 'int4' ? 'fp4' : undefined
}

function dtype(config: Fields): Stored {
  const name = (config.text('torch_dtype') ?? config.text('dtype'))?.replace('torch.', '')
  return name !== undefined && Object.hasOwn(dtypes, name) ? dtypes[name] : undefined
}
