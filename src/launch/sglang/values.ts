/**
 * Values of SGLang's options that are a closed list (`choices` of its parser). Source: as flags.ts,
 * python/sglang/srt/server_args.py at 001067f (ServerArgs, MOE_A2A_BACKEND_CHOICES, MAMBA_RADIX_CACHE_STRATEGY_CHOICES).
 */
import type { ClosedValues } from '../read/closed-values.ts'
import { wordsOf } from '../read/left-over.ts'
import { sglangQuantizations } from '../server/quantization.ts'

const strategies = wordsOf('auto no_buffer extra_buffer extra_buffer_lazy')

export const sglangValues: ClosedValues = {
  '--dtype': wordsOf('auto half float16 bfloat16 float float32'),
  '--quantization': [...sglangQuantizations.keys()],
  '--kv-cache-dtype': wordsOf('auto fp8_e5m2 fp8_e4m3 mxfp8 bf16 bfloat16 nvfp4 fp4_mx_block16 fp4_e2m1'),
  '--moe-a2a-backend': wordsOf(
    'none deepep mooncake nixl mori ascend_fuseep flashinfer megamoe deepep_v2 pplx ascend_tp',
  ),
  '--disaggregation-mode': wordsOf('null prefill decode'),
  '--mamba-radix-cache-strategy': strategies,
  '--mamba-scheduler-strategy': strategies,
}
