/**
 * Matmuls of training below 16 bits, as MaxText calls them: int8 by AQT on TPUs, fp8 by Flax on GPUs (in AMD's format on theirs) and by Qwix on
 * TPUs, forward and backward. Grouped matmuls of experts take part by Qwix alone. Source: as config.ts,
 * src/maxtext/layers/{quantizations,moe}.py, configs/base.yml; DeepSeek-V3 and Qwen3 235B on TPU7x in AI-Hypercomputer/tpu-recipes.
 */

import { isAmd } from '../../hardware/vendor.ts'
import { isNarrow } from '../../recipe/element-type.ts'
import type { Rule } from '../../rules/rule.ts'
import type { LayoutRun, MeshRun } from '../run/run.ts'
import type { MaxtextConfig } from './keys.ts'

/** Empty if nothing is quantised; null if MaxText does not multiply in the type. Experts may not take part in it. */
export function maxtextQuantization({ problem }: Pick<MeshRun, 'problem'>): MaxtextConfig | null {
  const { precision, cluster } = problem
  const { weights, compute } = precision
  if (!isNarrow(compute)) return {}
  if (weights !== 'bf16') return null
  if (isOfQwix(problem)) return { quantization: 'fp8_full', use_qwix_quantization: true }
  if (compute === 'int8') return cluster.chip.kind === 'tpu' ? { quantization: 'int8' } : null
  if (compute !== 'fp8') return null
  return { quantization: isAmd(cluster.chip) ? 'nanoo_fp8' : 'fp8' }
}

/** Whether experts would take part in it: they do in wide types, and by Qwix. */
export function quantizesExperts({ problem }: Pick<MeshRun, 'problem'>): boolean {
  return !isNarrow(problem.precision.compute) || isOfQwix(problem)
}

function isOfQwix({ precision, cluster }: MeshRun['problem']): boolean {
  return cluster.chip.kind === 'tpu' && precision.compute === 'fp8'
}

/** Those that carry the scales of fp8 from pass to pass: MaxText refuses to accumulate gradients with them (configs/types.py). */
const carryingScales: readonly unknown[] = ['fp8', 'nanoo_fp8', 'fp8_gpu', 'te_fp8_delayedscaling']

/** Whether MaxText stops at a value of `quantization` with so many steps of accumulation. */
export function stopsAccumulating(quantization: unknown, steps: number): boolean {
  return steps > 1 && carryingScales.includes(quantization)
}

/** A pipeline takes all its microbatches in one pass, and accumulates nothing. */
export const accumulationRules: readonly Rule<LayoutRun>[] = [
  {
    broken: (run) =>
      run.mesh.pipeline === 1 && stopsAccumulating(maxtextQuantization(run)?.quantization, run.microbatches),
    says: ({ microbatches }) =>
      `MaxText does not accumulate gradients of ${microbatches} microbatches in fp8 on GPUs, but with scales of Transformer Engine that no flags are written for`,
    unwritten: true,
  },
]
