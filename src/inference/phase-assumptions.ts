/**
 * Assumptions as they hold in each phase. Prefill, like training, has many tokens, and kernels that forward them inside a
 * node; generation has few, and kernels that send each straight to its chip and leave the compute units alone meanwhile.
 * Source: deepseek-ai/DeepEP @0297fc80, docs/legacy.md: normal and low-latency kernels. The share of what matmuls
 * wait for that they hide is inference's own.
 * In a step of generation the starts of attention and of narrow matmuls are part of its layer's time, and graphs start its kernels, so that starts
 * and hosts are counted of prompts alone.
 */
import type { Assumptions } from '../assumptions/assumptions.ts'
import { rememberedOf } from '../known.ts'
import type { PhaseMode } from '../modes/names.ts'

/** Made once for each set: the models of all parts of the chips ask for those of one. */
export const phaseAssumptions = rememberedOf(
  (assumptions: Assumptions): Readonly<Record<PhaseMode, Assumptions>> => {
    const prefill = { ...assumptions, overlapCriticalPath: assumptions.overlapInference }
    const generate = {
      ...prefill,
      ...{ attentionHalfKeys: 0, inferenceNarrowMatmulSeconds: 0, inferenceLayerHostSeconds: 0 },
    }
    const direct = { ...generate, hierarchicalDispatch: false, dispatchComputeShare: 0 }
    return { prefill, generate: assumptions.directGeneration ? direct : generate }
  },
)
