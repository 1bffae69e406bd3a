/** What a plan may fill of the memory that it is given, and what of it stays free. */
import type { Setting } from '../../problem.ts'
import type { Bytes } from '../../units.ts'

/**
 * The part of the budget that stays free. The margin is taken from the chip's memory, so a budget that already leaves as much aside
 * gets no second one: a plan may fill the lesser of the budget and 1 - reserveFraction of the chip.
 */
export function reserveBytes({ cluster, memoryBudget, assumptions }: Budgeted): Bytes {
  const { hbmBytes } = cluster.chip
  const margin = assumptions.reserveFraction * hbmBytes
  return Math.max(0, margin - Math.max(0, hbmBytes - memoryBudget))
}

/** What of the budget may be filled. */
export function fillableBytes(setting: Budgeted): Bytes {
  return setting.memoryBudget - reserveBytes(setting)
}

/** The least budget that leaves so many bytes beside the reserve: the inverse of a budget less its reserve. */
export function budgetFor(bytes: Bytes, { cluster, assumptions }: Omit<Budgeted, 'memoryBudget'>): Bytes {
  const { hbmBytes } = cluster.chip
  const margin = assumptions.reserveFraction * hbmBytes
  return bytes <= hbmBytes - margin ? bytes : bytes + margin
}

export type Budgeted = Pick<Setting, 'cluster' | 'memoryBudget' | 'assumptions'>
