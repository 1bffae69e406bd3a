/** Memory that a published run used on each chip, and the service's prediction for its layout. */
import type { Bytes } from '../../../src/units.ts'
import { type PublishedLayout, predicted, publishedRows } from '../training/run.ts'
import { type DeepspeedOptimizer, deepspeedBytes } from './deepspeed.ts'

export interface PublishedMemory extends PublishedLayout {
  /** On the fullest chip, as the driver or the allocator says; absent where the run did not fit. */
  readonly memoryBytes?: Bytes
  readonly outOfMemory?: true
  /** The optimizer's states were in the host's memory: no part of the prediction. */
  readonly optimizerOnHost?: true
  /** Which of DeepSpeed's optimizers of early 2022 updated the weights, and left its copies (deepspeed-memory.ts). */
  readonly deepspeedOptimizer?: DeepspeedOptimizer
}

export function publishedMemory(): readonly PublishedMemory[] {
  return publishedRows('training-memory')
}

export interface PredictedMemory {
  readonly total: Bytes
  readonly fits: boolean
}

/** Null where the layout cannot be expressed. */
export function predictedMemory(row: PublishedMemory): PredictedMemory | null {
  const plan = predicted(row)
  if (!plan) return null
  const { budget, total, optimizer } = plan.memoryBytes
  const own = typeof row.model === 'object' && row.deepspeedOptimizer
  const copies = own ? deepspeedBytes(own, plan, { ...row.model, sequenceLength: row.sequenceLength }) : 0
  const held = total + copies - (row.optimizerOnHost ? optimizer : 0)
  return { total: held, fits: held <= budget }
}
