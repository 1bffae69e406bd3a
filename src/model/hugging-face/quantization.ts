/**
 * How a config's quantisation stores a weight, and what it does to the activations that meet it. Bits are those of the element
 * and of its share of its group's scales:
 *
 *   mxfp4              4 + 8/32     one exponent of 8 bits for 32          OCP Microscaling Formats v1.0, table 1
 *   nvfp4              4 + 8/16     one e4m3 for 16                        NVIDIA, "Introducing NVFP4" (2025)
 *   groups of integers b + 16/g     one fp16 for g, 128 unless stated      GPTQ, AWQ; zero points, b/g, are left out
 *   nf4                4 + 32/64    one fp32 for 64; 8/64 + 32/(64·256)    QLoRA (arXiv 2305.14314), section 3
 *                                   where these are quantised again
 *   MLX                b + 32/g     scale and bias of 16 bits for g, 64 unless stated; tables and head are converted too
 *   fp8, int8          8            a scale for a row, or for a block of 128 x 128: under 0.01 bits
 *
 * Activations are cast where the scheme says so (fp8 by transformers' FineGrainedFP8, compressed-tensors and ModelOpt
 * with input_activations, Quark with input_tensors); else weights are unpacked to the dtype at the matmul. MXFP4 is unpacked too (transformers,
 * SGLang, and TensorRT-LLM on Hopper multiply it by bf16), but where the chip scales blocks, which takes its inputs in fp8 (precision/stored.ts). Source: transformers, utils/quantization_config.py;
 * TensorRT-LLM, quantization/mode.py (QuantAlgo).
 */

import { isFields, ownValue } from '../../fields.ts'
import { plainType } from '../../hardware/peak.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { ByPart } from '../weight-parts.ts'
import type { Fields } from './fields.ts'

/** Rows and columns. */
export interface WeightBlock {
  readonly rows: number
  readonly columns: number
}

export interface Scheme {
  /** As the config names it (`quant_method`); absent where its keys alone tell it. */
  readonly method?: string
  readonly weights: ElementType
  /** Bits of one weight, scales included. */
  readonly bits: number
  /** Type of the operands that such weights are multiplied by; absent when weights are unpacked instead. */
  readonly activations?: ElementType
  /** Without `activations`: whether servers quantise the other operand to a type that takes such blocks as they are, where the chip multiplies both. */
  readonly castsBeside?: boolean
  readonly kvCache?: ElementType
  /** Bits of a weight of parts that have others. */
  readonly partBits?: Partial<ByPart>
  /** Part of a weight that shares a scale, where blocks of it do. */
  readonly block?: WeightBlock
  /** With `head` the unembedding is converted too, and with `tables` the embedding as well. */
  readonly head?: boolean
  readonly tables?: boolean
}

interface Found {
  readonly scheme: Scheme
  readonly quantization: Fields
}

type Reader = (quantization: Fields) => Scheme | undefined

const fp8: Scheme = { weights: 'fp8', bits: 8, activations: 'fp8' }
const int8: Scheme = { weights: 'int8', bits: 8 }
const mxfp4: Scheme = { weights: 'mxfp4', bits: 4 + 8 / 32 }
const nvfp4: Scheme = { weights: 'nvfp4', bits: 4 + 8 / 16, activations: 'nvfp4' }

const methods: Readonly<Record<string, Reader>> = {
  fp8: (quantization) => ({ ...fp8, ...blockIn(quantization.list('weight_block_size')) }),
  fbgemm_fp8: () => fp8,
  mxfp4: () => ({ ...mxfp4, castsBeside: true }),
  gptq: integers('bits'),
  awq: integers('bits', 'w_bit'),
  'auto-round': integers('bits'),
  hqq: (quantization) =>
    integers('nbits')(quantization.part('quant_config').part('weight_quant_params')) ??
    integers('nbits')(quantization),
  eetq: () => int8,
  bitsandbytes: (quantization) => {
    const four = quantization.flag('load_in_4bit') ?? quantization.flag('_load_in_4bit')
    const eight = quantization.flag('load_in_8bit') ?? quantization.flag('_load_in_8bit')
    const twice = quantization.flag('bnb_4bit_use_double_quant') ?? false
    const scales = twice ? 8 / 64 + 32 / (64 * 256) : 32 / 64
    return four ? { weights: 'int4', bits: 4 + scales } : eight ? int8 : undefined
  },
  'compressed-tensors': groups,
  modelopt: (quantization) => algorithm(quantization) ?? groups(quantization),
  quark,
}

const algorithms: Readonly<Record<string, Reader>> = {
  FP8: () => fp8,
  FP8_BLOCK_SCALES: () => ({ ...fp8, block: { rows: 128, columns: 128 } }),
  NVFP4: () => nvfp4,
  MXFP4: () => mxfp4,
  W4A8_MXFP4_FP8: () => ({ ...mxfp4, activations: 'fp8' }),
  W4A16_AWQ: () => int4(128),
  W4A8_AWQ: () => ({ ...int4(128), activations: 'fp8' }),
  INT8: () => int8,
  W8A16: () => int8,
}

export function quantizationOf(config: Fields): Found | undefined {
  const mlx = config.part('quantization')
  const packed = integers('bits')(mlx, 64, 32)
  if (packed) return { scheme: { ...packed, head: true, tables: true }, quantization: mlx }
  const quantization = config.part('quantization_config')
  const named = quantization.text('quant_method')
  const grouped = quantization.text('quant_algo') ?? quantization.part('config_groups').unread()[0]
  const method = named ?? (grouped === undefined ? undefined : 'modelopt')
  if (method === undefined) return undefined
  const scheme = ownValue(methods, method)?.(quantization)
  if (!scheme) {
    const name = method.slice(0, 40)
    config.note(`quantization_config: ${name} is not known, the weights are taken as its dtype says`)
    return undefined
  }
  const kvCache = cacheType(quantization)
  const head = quantization.flag('lm_head') ?? false
  const own = {
    ...(named === undefined ? {} : { method: named }),
    ...(kvCache ? { kvCache } : {}),
    ...expertBitsIn(config, quantization),
  }
  return { scheme: { ...scheme, head, ...own }, quantization }
}

/** Experts of DeepSeek-V4 are in FP4 with a scale for 32, or in NVFP4, and the rest in FP8 (Megatron-Bridge @067f987df, deepseek_v4_bridge.py). */
function expertBitsIn(config: Fields, quantization: Fields): Pick<Scheme, 'partBits'> {
  if (config.text('expert_dtype') !== 'fp4') return {}
  const { bits } = quantization.text('moe_quant_algo') === 'NVFP4' ? nvfp4 : mxfp4
  return { partBits: { experts: bits } }
}

/** A number of bits that no element type has is counted as it is, under the name of the next wider type. */
function integers(...names: readonly string[]) {
  return (quantization: Fields, defaultGroup = 128, scaleBits = 16): Scheme | undefined => {
    const bits = quantization.number(names, 64)
    if (bits === undefined || bits > 8) return undefined
    const weights = bits > 4 ? 'int8' : 'int4'
    if (bits !== 8 && bits !== 4) {
      quantization.note(`quantization: weights of ${bits} bits are counted as such, and called ${weights}`)
    }
    // A group size of -1 means one scale for a whole column.
    const whole = quantization.value('group_size') === -1
    const group = whole
      ? Number.POSITIVE_INFINITY
      : (quantization.number(['group_size'], 1e6) ?? defaultGroup)
    return { weights, bits: bits + (bits === 8 ? 0 : scaleBits / group) }
  }
}

function int4(group: number): Scheme {
  return { weights: 'int4', bits: 4 + 16 / group }
}

function algorithm(quantization: Fields): Scheme | undefined {
  const name = quantization.text('quant_algo')
  return name === undefined ? undefined : ownValue(algorithms, name)?.(quantization)
}

/** Groups of modules, each with its scheme: the first group says what most weights are. */
function groups(quantization: Fields): Scheme | undefined {
  const all = quantization.part('config_groups')
  const [first] = all.unread()
  if (first === undefined) return undefined
  const group = all.part(first)
  const weights = group.part('weights')
  const activations = elementOf(group.part('input_activations'))
  const scheme = floats(weights) ?? integers('num_bits')(weights, Number.POSITIVE_INFINITY)
  if (!scheme) return undefined
  const { weights: type, bits, block } = scheme
  return { weights: type, bits, ...(block ? { block } : {}), ...(activations ? { activations } : {}) }
}

/** Of AMD Quark (quark/torch/quantization/config/config.py, QuantizationConfig): the types of weights and of what meets them, by their names there. */
function quark(quantization: Fields): Scheme | undefined {
  const all = quantization.part('global_quant_config')
  const [weights, activations] = ['weight', 'input_tensors'].map((name) => {
    const dtype = all.part(name).text('dtype')
    return dtype === undefined ? undefined : ownValue(quarkSchemes, dtype)
  })
  if (!weights) return undefined
  const { weights: type, bits } = weights
  return { weights: type, bits, ...(activations ? { activations: activations.weights } : {}) }
}

const quarkSchemes: Readonly<Record<string, Scheme>> = { fp4: mxfp4, fp8_e4m3: fp8, int8 }

/** `[128, 128]`, as DeepSeek-V3 has it; nothing for anything else. */
function blockIn(size: readonly unknown[] | undefined): Pick<Scheme, 'block'> {
  const [rows, columns] = size ?? []
  const is = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1
  return is(rows) && is(columns) ? { block: { rows, columns } } : {}
}

function floats(weights: Fields): Scheme | undefined {
  const type = elementOf(weights)
  if (type === 'fp8') return { ...fp8, ...blockIn(weights.list('block_structure')) }
  return type && plainType(type) === 'fp4'
    ? { weights: type, bits: 4 + 8 / (weights.number(['group_size'], 1e6) ?? 16) }
    : undefined
}

function elementOf(numbers: Fields): ElementType | undefined {
  const bits = numbers.number(['num_bits'], 64)
  const kind = numbers.text('type')
  if (bits === 8) return kind === 'float' ? 'fp8' : 'int8'
  if (bits !== 4) return undefined
  return kind === 'float' ? (blocked[numbers.number(['group_size'], 1e6) ?? 16] ?? 'fp4') : 'int4'
}

/** Four-bit formats by the number of elements that share a scale. */
const blocked: Readonly<Record<number, ElementType>> = { 16: 'nvfp4', 32: 'mxfp4' }

const cacheNames: Readonly<Record<string, ElementType>> = { FP8: 'fp8', INT8: 'int8', NVFP4: 'nvfp4' }

/** The type of the KV cache: compressed-tensors gives an object, ModelOpt a name. */
function cacheType(quantization: Fields): ElementType | undefined {
  const scheme = quantization.value('kv_cache_scheme') ?? quantization.value('kv_cache_quant_algo')
  if (isFields(scheme)) return elementOf(quantization.part('kv_cache_scheme'))
  return typeof scheme === 'string' ? ownValue(cacheNames, scheme) : undefined
}
