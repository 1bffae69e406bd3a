/** Values of MaxText's settings that are a closed list. Source: src/maxtext/configs/types.py at e591f30 (DType, QuantizationType, OptimizerType, and what it checks of context_parallel_strategy). */
import type { ClosedValues } from '../../read/closed-values.ts'
import { wordsOf } from '../../read/left-over.ts'

const types = wordsOf('bfloat16 float32 float16')

export const maxtextValues: ClosedValues = {
  dtype: types,
  weight_dtype: types,
  grad_dtype: types,
  quantization: wordsOf(`
    fp4 int4 int8 intmp fp8_e5m2 fp8_e4m3 fp8 nanoo_fp8 fp8_nanoo fp8_gpu fp8_full te_fp8_delayedscaling te_fp8_currentscaling
    te_mxfp8 te_nvfp4 te_nvfp4_no_rht
  `),
  opt_type: wordsOf('adamw adam_pax sgd muon'),
  context_parallel_strategy: wordsOf('all_gather ring ulysses usp'),
}
