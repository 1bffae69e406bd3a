/**
 * What more memory is worth to a plan. Policies and layouts are discrete, so that the time falls in steps as the budget
 * grows, without a slope. The next step is the least budget with which the plan's mesh and layout are faster, after
 * what fits is chosen again. Another mesh may be faster with less.
 */
import type { Bytes, Seconds } from '../../units.ts'

export interface MemoryStep {
  /** Budget of one chip, like `memoryBudget.bytesPerChip` of a request. */
  readonly budgetBytes: Bytes
  readonly stepTimeSeconds: Seconds
}

/** The best choice within a budget. */
export interface Chosen {
  readonly bytes: Bytes
  readonly seconds: Seconds
}

/** Null if no budget makes it faster. */
export function nextMemoryStep(
  { budget, seconds }: { readonly budget: Bytes; readonly seconds: Seconds },
  chosenWithin: (budget: Bytes) => Chosen | null,
): MemoryStep | null {
  const faster = (within: Bytes): Chosen | null => {
    const chosen = chosenWithin(within)
    return chosen && chosen.seconds < seconds * (1 - rounding) ? chosen : null
  }
  let found = faster(unlimited)
  if (!found) return null
  let low = budget
  let high = Math.max(budget, found.bytes)
  while (high - low > resolution * high) {
    const chosen = faster((low + high) / 2)
    if (chosen) [high, found] = [Math.max(low, chosen.bytes), chosen]
    else low = (low + high) / 2
  }
  return { budgetBytes: Math.ceil(high), stepTimeSeconds: found.seconds }
}

/** d log T / d log M between a budget and its next step; 0 if there is none. */
export function memoryQuotient(budget: Bytes, seconds: Seconds, step: MemoryStep | null): number {
  if (!step) return 0
  return Math.log(step.stepTimeSeconds / seconds) / Math.log(step.budgetBytes / budget)
}

/** More than any chip has, but finite. */
const unlimited = 1e18
const rounding = 1e-12
const resolution = 1e-9
