/**
 * What more memory is worth to a plan. Policies and layouts are discrete, so that the time falls in steps as the budget
 * grows, without a slope. The next step is the least budget with which the plan's mesh and layout are faster, after
 * what fits is chosen again. Another mesh may be faster with less.
 */
import { type Budgeted, budgetFor, fillableBytes } from '../../cost/memory/budget.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface MemoryStep {
  /** Budget of one chip, like `memoryBudget.bytesPerChip` of a request. */
  readonly budgetBytes: Bytes
  readonly stepTimeSeconds: Seconds
}

/** The best choice within so many bytes, the reserve not among them. */
export interface Chosen {
  readonly bytes: Bytes
  readonly seconds: Seconds
}

/**
 * Null if no budget makes it faster. Bytes are sought without the reserve, which a larger budget may have more of; `seconds` is
 * the time of the plan as it is.
 */
export function nextMemoryStep(
  setting: Budgeted,
  seconds: Seconds,
  chosenWithin: (bytes: Bytes) => Chosen | null,
): MemoryStep | null {
  const faster = (within: Bytes): Chosen | null => {
    const chosen = chosenWithin(within)
    return chosen && chosen.seconds < seconds * (1 - rounding) ? chosen : null
  }
  let found = faster(unlimited)
  if (!found) return null
  let low = fillableBytes(setting)
  let high = Math.max(low, found.bytes)
  while (high - low > resolution * high) {
    const chosen = faster((low + high) / 2)
    if (chosen) [high, found] = [Math.max(low, chosen.bytes), chosen]
    else low = (low + high) / 2
  }
  const budget = Math.max(setting.memoryBudget, budgetFor(high, setting))
  return { budgetBytes: Math.ceil(budget), stepTimeSeconds: found.seconds }
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
