/**
 * Matmuls of training below 16 bits, as MaxText calls them: int8 by AQT on TPUs, fp8 by Flax on GPUs (in AMD's format on theirs) and by Qwix on
 * TPUs, forward and backward. Grouped matmuls of experts take part by Qwix alone. Source: as config.ts,
 * src/maxtext/layers/{quantizations,moe}.py, configs/base.yml; DeepSeek-V3 and Qwen3 235B on TPU7x in AI-Hypercomputer/tpu-recipes.
 */
import { isNarrow } from '../../recipe/element-type.ts'
import type { MeshRun } from '../run/run.ts'
import { isAmd } from '../vendor.ts'
import type { MaxtextConfig } from './keys.ts'

/** Empty if nothing is quantised; null if MaxText does not multiply in the type. */
export function maxtextQuantization({ model, problem }: MeshRun): MaxtextConfig | null {
  const { precision, cluster } = problem
  const { weights, compute } = precision
  if (!isNarrow(compute)) return {}
  if (weights !== 'bf16') return null
  const tpu = cluster.chip.kind === 'tpu'
  if (tpu && compute === 'fp8') return { quantization: 'fp8_full', use_qwix_quantization: true }
  if (model.experts) return null
  if (compute === 'int8') return tpu ? { quantization: 'int8' } : null
  if (compute !== 'fp8') return null
  return { quantization: isAmd(cluster.chip) ? 'nanoo_fp8' : 'fp8' }
}
