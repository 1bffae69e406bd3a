/**
 * Pipeline schedules that run the backward pass in two pieces: what the stage before waits for (gradients of inputs),
 * and what only the optimizer waits for (gradients of weights), which then fill the pipeline's bubble. With F, B and W the
 * times of forward pass, input gradients and weight gradients of one microbatch on one of p equal stages:
 *
 *   1F1B       (p - 1)·(F + B + W)      for comparison
 *   ZB-H1      (p - 1)·(F + B - W)      Qi et al., "Zero Bubble Pipeline Parallelism" (arXiv 2401.10241), table 2
 *   DualPipe   (p/2 - 1)·(F + 2B - W)   DeepSeek-V3 (arXiv 2412.19437), table 2: (p/2 - 1)·(F&B + B - 3W), its B being B + W
 *                                       here, and F&B, a forward beside a backward chunk, F + B + W
 *
 * Where stages differ, one waits for the others' F and B, not for their W, and fills that with the W of as many layers as
 * the stage of fewest has:
 *
 *   bubble of s = Σ_{i≠s} (a·F_i + b·B_i) - k·W, at least 0
 *
 * ZB-H1 has a = b = 1 and k = p - 1, or m - 1 for fewer microbatches, DualPipe a = (p/2 - 1)/(p - 1), b = 2a, k = p/2 - 1. For
 * ZB-H1 that is exact on equal stages and above what running it takes on others, as long as W is at most F and B; a longer W
 * fills less than is said here.
 *
 * DualPipe runs half of the microbatches from either end, so that a chip holds stages i and p - 1 - i; it needs an even p,
 * an even m, and m >= 2p (deepseek-ai/DualPipe). While one direction computes the other sends its tokens to experts: such
 * AllToAlls are taken to overlap as prefetched communication does. Optimizer states that ZeRO shards are sharded over both
 * copies.
 */
import type { Schedule } from './stages.ts'

export interface SplitBackward {
  /** a, b and k. */
  readonly forwards: number
  readonly inputGradients: number
  readonly fills: number
}

export function splitsBackward({ name }: Pick<Schedule, 'name'>): boolean {
  return name === 'zb-h1' || name === 'dualpipe'
}

/** Of a schedule that splits it. */
export function splitBackward(
  { name }: Pick<Schedule, 'name'>,
  stages: number,
  microbatches: number,
): SplitBackward {
  if (name === 'zb-h1') {
    return { forwards: 1, inputGradients: 1, fills: Math.min(stages, microbatches) - 1 }
  }
  const fills = stages / 2 - 1
  const share = stages > 2 ? fills / (stages - 1) : 0
  return { forwards: share, inputGradients: 2 * share, fills }
}

export function runsDualPipe(stages: number, microbatches: number): boolean {
  return stages % 2 === 0 && microbatches % 2 === 0 && microbatches >= 2 * stages
}

/** Tokens on their way to experts move beside another microbatch's compute. */
export function hidesRouted({ name }: Pick<Schedule, 'name'>): boolean {
  return name === 'dualpipe'
}
