/** What a published run took of each chip's memory, and what the service predicts for its layout. */
import type { Bytes } from '../../src/units.ts'
import { type PublishedLayout, predicted, publishedRows } from './run.ts'

export interface PublishedMemory extends PublishedLayout {
  /** On the fullest chip, as the driver or the allocator says; absent where the run did not fit. */
  readonly memoryBytes?: Bytes
  readonly outOfMemory?: true
  /** The optimizer's states were in the host's memory: no part of the prediction. */
  readonly optimizerOnHost?: true
}

export function publishedMemory(): readonly PublishedMemory[] {
  return publishedRows('training-memory')
}

export interface PredictedMemory {
  readonly total: Bytes
  /** Kept free for framework and fragmentation: what a driver counts as used, and an allocator does not. */
  readonly reserve: Bytes
  readonly fits: boolean
}

/** Null where the layout cannot be expressed. */
export function predictedMemory(row: PublishedMemory): PredictedMemory | null {
  const plan = predicted(row)
  if (!plan) return null
  const { total, reserve, optimizer } = plan.memoryBytes
  return { total: total - (row.optimizerOnHost ? optimizer : 0), reserve, fits: plan.feasible }
}
