/**
 * Packed sequences in cuDNN's attention on GPUs; MaxText packs without a key. The kernel wants to know how many documents a sequence
 * has at most, and over context it takes packed sequences round a ring alone whose chips have equally much to do. MaxText stops at
 * other strategies before it asks for data: synthetic ones, in which nothing is packed, make no exception. Source: AI-Hypercomputer/maxtext
 * e591f30, src/maxtext/utils/train_utils.py, configs/types.py, layers/attention_op.py (cudnn_flash_attention).
 */
import type { Run } from '../run/run.ts'
import { contextStrategies } from './context.ts'
import type { MaxtextConfig } from './keys.ts'

/** MaxText's own limit on GPUs. */
const mostSegments = 32

/** Whether the kernel takes packed sequences that so many chips share out by MaxText's name of a strategy. */
export function takesPacked(chips: number, strategy: string, balanced: boolean): boolean {
  return chips === 1 || (strategy === contextStrategies.ring && balanced)
}

function packs({ mesh, contextLayout }: Run): boolean {
  return takesPacked(mesh.context, contextStrategies[contextLayout], true)
}

/** What a run on GPUs says of documents: nothing limits them where none are packed. */
export function segmentKeys(run: Run): MaxtextConfig {
  return packs(run) ? { max_segments_per_seq: mostSegments } : {}
}

/** What the layout of a run says of packing. */
export function packingKeys(run: Run): MaxtextConfig {
  return run.problem.cluster.chip.kind === 'tpu' || packs(run) ? {} : { packing: false }
}
