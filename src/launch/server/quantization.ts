/**
 * Names that servers have for ways to quantise, with the types of weights and of matmuls; null if the checkpoint's own
 * config says these, or if only experts are quantised. Source: vllm-project/vllm,
 * vllm/model_executor/layers/quantization/__init__.py (and fp_quant, rtn, online and the like of releases of 2025 and
 * 2026); sgl-project/sglang, python/sglang/srt/server_args.py (QUANTIZATION_CHOICES), qoq of releases before.
 */
import { compact } from '../../compact.ts'
import { typesNamed } from '../../precision/named.ts'
import { usualType } from '../../recipe/element-type.ts'
import { refusedQuantization } from './stored-by.ts'

interface Types {
  readonly weights: string
  /** Left out if it depends on the chip. */
  readonly compute?: string
}

export type Quantizations = ReadonlyMap<string, Types | null>

const int4: Types = { weights: 'int4', compute: 'bf16' }
const fp8: Types = { weights: 'fp8', compute: 'fp8' }
const int8: Types = { weights: 'int8', compute: 'int8' }
const nvfp4: Types = { weights: 'nvfp4', compute: 'nvfp4' }
const mxfp4: Types = { weights: 'mxfp4' }

/**
 * Names that both servers have. GPTQ is taken as four bits unless the checkpoint's name differs; bitsandbytes makes
 * four bits of a bf16 checkpoint.
 */
const common = {
  ...{ awq: int4, awq_marlin: int4, gptq: int4, gptq_marlin: int4, marlin: int4, bitsandbytes: int4 },
  ...{ fp8, modelopt: fp8, modelopt_fp4: nvfp4, mxfp4 },
  ...{ petit_nvfp4: { weights: 'nvfp4', compute: 'bf16' } },
  ...{ gguf: null, moe_wna16: int4, 'compressed-tensors': null, quark: null, 'auto-round': null },
  ...{ modelopt_mixed: null, mxfp8: null, humming: null },
} as const

const ofVllm = {
  ...{ gptq_marlin_24: null, gptq_bitblas: int4, bitblas: null, cpu_awq: int4, cpu_gptq: int4, hqq: int4 },
  ...{ ptpc_fp8: fp8, fbgemm_fp8: fp8, deepgemm_fp8: fp8, fp8_per_tensor: fp8, fp8_per_block: fp8 },
  ...{ deepseek_v4_fp8: fp8, gpt_oss_mxfp4: mxfp4, tpu_int8: { weights: 'int8', compute: 'bf16' } },
  ...{ experts_int8: null, int8_per_channel_weight_only: null, modelopt_mxfp8: null, aqlm: null },
  ...{ deepspeedfp: null, qqq: null, neuron_quant: null, ipex: null, torchao: null, rtn: null, inc: null },
  ...{ fp_quant: null, online: null },
} as const

const ofSglang = {
  ...{ modelopt_fp8: fp8, w8a8_fp8: fp8, w8a8_int8: int8, nvfp4_online: nvfp4 },
  ...{ w4afp8: { weights: 'int4', compute: 'fp8' }, qoq: null, 'auto-round-int8': null, modelslim: null },
  ...{ mxfp_w4a8: null, quark_int4fp8_moe: null, quark_mxfp4: null, mlx_q4: null, mlx_q8: null },
  unquant: { weights: 'bf16', compute: 'bf16' },
} as const

export const vllmQuantizations: Quantizations = new Map(Object.entries({ ...common, ...ofVllm }))
export const sglangQuantizations: Quantizations = new Map(Object.entries({ ...common, ...ofSglang }))

export interface Quantized {
  readonly types: Readonly<Record<string, string>>
  /** What is loaded where no type is said: 16 bits, of a release that is known to be stored so. */
  readonly loaded: Readonly<Record<string, string>>
  readonly notes: readonly string[]
  /** Those of the notes for which the server does not start. */
  readonly refusals: readonly string[]
}

/** A server loads what is stored, of which `stored` says how, where it refuses to load it as it is told. */
export function quantized(
  written: string | null,
  named: string | null,
  known: Quantizations,
  stored: readonly string[] | undefined,
): Quantized {
  const own = typesNamed(named ?? '')
  const plain = stored?.length === 0 && (written === null || written === 'None')
  const loaded = plain ? { weights: usualType, compute: usualType } : {}
  if (written === null || written === 'None') return { types: own, loaded, notes: [], refusals: [] }
  const refusals = compact(refusedQuantization(written, stored, named))
  if (refusals.length > 0) return { types: own, loaded, notes: refusals, refusals }
  const types = known.get(written)
  // GPTQ with eight bits has these in its name, and a name in 16 bits says what is stored alone.
  const narrow = own.weights !== undefined && own.weights !== usualType
  const notes =
    types === null && !narrow
      ? [
          `--quantization ${written} is not counted, as the checkpoint has the types of its weights: say them in precision`,
        ]
      : []
  return { types: narrow ? { ...types, ...own } : { ...own, ...types }, loaded, notes, refusals }
}
