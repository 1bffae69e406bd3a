/**
 * Assumptions as they hold in either phase. Prefill and training have many tokens, and kernels that forward them inside a
 * node; generation has few, and kernels that send each straight to its chip and leave the compute units alone meanwhile.
 * Source: deepseek-ai/DeepEP @0297fc80, docs/legacy.md: normal and low-latency kernels.
 */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Pass } from './pass/pass.ts'

export function phaseAssumptions(assumptions: Assumptions): Readonly<Record<Pass['mode'], Assumptions>> {
  const direct = { ...assumptions, hierarchicalDispatch: false, dispatchComputeShare: 0 }
  return { prefill: assumptions, generate: assumptions.directGeneration ? direct : assumptions }
}
