/**
 * Values of vLLM's options that are a closed list. Source: vllm-project/vllm, vllm/config/cache.py 002f10e (CacheDType,
 * MambaDType), parallel.py 00193b8 (All2AllBackend; `mori` of releases before), model.py (ModelDType).
 */
import type { ClosedValues } from '../read/closed-values.ts'
import { wordsOf } from '../read/left-over.ts'
import { vllmQuantizations } from '../server/quantization.ts'

const exchanges = `
  naive pplx deepep_high_throughput deepep_low_latency deepep_v2 mori mori_high_throughput mori_low_latency nixl_ep
  allgather_reducescatter flashinfer_all2allv flashinfer_nvlink_two_sided flashinfer_nvlink_one_sided
`
const caches = `
  auto float16 bfloat16 fp8 fp8_e4m3 fp8_e5m2 fp8_inc fp8_ds_mla nvfp4_ds_mla turboquant_k8v4 turboquant_4bit_nc
  turboquant_k3v4_nc turboquant_3bit_nc int4_per_token_head int8_per_token_head fp8_per_token_head nvfp4 nvfp4_4over6
`
const states = 'auto float32 float16 bfloat16'

export const vllmValues: ClosedValues = {
  '--dtype': wordsOf('auto half float16 bfloat16 float float32'),
  '--quantization': [...vllmQuantizations.keys()],
  '--kv-cache-dtype': wordsOf(caches),
  '--all2all-backend': wordsOf(exchanges),
  '--performance-mode': wordsOf('balanced interactivity throughput'),
  '--mamba-cache-dtype': wordsOf(states),
  '--mamba-ssm-cache-dtype': wordsOf(states),
}
