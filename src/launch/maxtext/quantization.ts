/**
 * Matmuls of training below 16 bits, as MaxText calls them: int8 by AQT on TPUs, fp8 by Flax on GPUs (in AMD's format on theirs) and by Qwix on
 * TPUs, forward and backward. Grouped matmuls of experts take part by Qwix alone. Source: as config.ts,
 * src/maxtext/layers/{quantizations,moe}.py, configs/base.yml; DeepSeek-V3 and Qwen3 235B on TPU7x in AI-Hypercomputer/tpu-recipes.
 */
import { isNarrow } from '../../recipe/element-type.ts'
import type { MeshRun } from '../run/run.ts'
import { isAmd } from '../vendor.ts'
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
