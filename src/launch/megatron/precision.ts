/** Megatron-LM's options for element types. Source: as flags.ts. */

import type { ElementType } from '../../recipe/element-types.ts'
import type { Run } from '../run/run.ts'
import { given, part, setting, word } from '../settings/settings.ts'
import { delayed, fp8Recipe, mxfp8 } from './fp8-recipe.ts'
import { isFourBits } from './narrow-types.ts'
import { keepsNarrow } from './narrow-weights.ts'
import { megatronSharding } from './states.ts'

/** In fp32 none of them is written. */
export const precisionSettings = part(mixedOf, {
  isBf16: setting('--bf16', () => true, given),
  isFp16: setting('--fp16', null, given),
  // Blocks of MXFP8 have scales enough for gradients in E4M3 too, as Megatron Bridge's bf16_with_mxfp8_mixed has them.
  fp8Format: setting('--fp8-format', ({ fp8 }) => fp8 && (fp8 === mxfp8 ? 'e4m3' : 'hybrid'), word, '--fp8'),
  fp8Recipe: setting('--fp8-recipe', ({ fp8 }) => fp8, word),
  fp8History: setting('--fp8-amax-history-len', ({ fp8 }) => fp8 === delayed && 1024),
  fp8Algorithm: setting('--fp8-amax-compute-algo', ({ fp8 }) => fp8 === delayed && 'max'),
  fp8Gathered: setting('--fp8-param-gather', ({ fp8, keeps }) => keeps && fp8 !== null, given),
  buffersReused: setting(
    '--reuse-grad-buf-for-mxfp8-param-ag',
    ({ fp8, keeps, isFsdp }) => keeps && fp8 === mxfp8 && !isFsdp,
    given,
  ),
  fp4Format: setting('--fp4-format', ({ isFp4 }) => isFp4 && 'e2m1', word),
  fp4Recipe: setting('--fp4-recipe', ({ isFp4 }) => isFp4 && 'nvfp4'),
  fp4Gathered: setting('--fp4-param-gather', ({ isFp4, keeps }) => keeps && isFp4, given),
  fsdpGradients: setting(
    '--megatron-fsdp-main-grads-dtype',
    ({ gradients, isFsdp }) => isFsdp && gradients,
    word,
  ),
  sentGradients: setting('--megatron-fsdp-grad-comm-dtype', null, word),
  mainGradients: setting('--main-grads-dtype', null, word),
  narrowGradients: setting('--grad-reduce-in-bf16', ({ isNarrow, isFsdp }) => isNarrow && !isFsdp, given),
  wideGradients: setting(
    '--accumulate-allreduce-grads-in-fp32',
    ({ isNarrow, isFsdp }) => !isNarrow && !isFsdp,
  ),
})

interface Mixed {
  /** The recipe; null where nothing is multiplied in fp8. */
  readonly fp8: string | null
  readonly isFp4: boolean
  /** Weights are kept in the type of their matmuls alone. */
  readonly keeps: boolean
  readonly gradients: ElementType
  readonly isNarrow: boolean
  readonly isFsdp: boolean
}

function mixedOf(run: Run): Mixed | null {
  const { problem, zeroStage } = run
  const { weights, compute, gradients } = problem.precision
  if (weights === 'fp32') return null
  return {
    fp8: fp8Recipe(run),
    isFp4: isFourBits(compute),
    keeps: keepsNarrow(run),
    gradients,
    isNarrow: gradients === 'bf16',
    isFsdp: megatronSharding[zeroStage] !== null,
  }
}
