/**
 * How tensor ranks hold the experts of a layer whose attention they share:
 *
 *   sliced   each expert is cut over the tensor ranks, as an MLP is; the copies of a token are gathered to all of them
 *   whole    wherever they divide the experts, tensor ranks hold whole experts of their own; tokens go straight to e · t ranks
 *
 * Megatron Core calls the latter an expert tensor parallel size of 1 (parallel folding: Liu et al. 2025, arXiv 2504.14960); NVIDIA's
 * recipes have it wherever they have tensor parallelism beside experts (NVIDIA-NeMo/Megatron-Bridge @067f987df0, scripts/performance/configs),
 * but for Llama 4 on H100.
 */
import type { Mesh } from '../../sharding/axis.ts'

export const expertTensors = ['sliced', 'whole'] as const

export type ExpertTensor = (typeof expertTensors)[number]

/** How the tensor ranks of this mesh hold so many experts. */
export function heldAs(
  { tensor, tensor2, expert }: Pick<Mesh, 'tensor' | 'tensor2' | 'expert'>,
  experts: number,
  asked: ExpertTensor,
): ExpertTensor {
  const whole = asked === 'whole' && tensor > 1 && tensor2 === 1 && experts % (tensor * expert) === 0
  return whole ? 'whole' : 'sliced'
}
