/** What is said of a plan that does not fit by less than memory is predicted to: it may fit, and is refused all the same. */
import { percent } from '../plan/explain/figures.ts'
import type { Bytes } from '../units.ts'

/**
 * Nine of ten published runs of training that no constant was set on took memory within this share of what is predicted
 * (fixtures/accuracy.json, the larger of Megatron-DeepSpeed's and DeepSpeed's).
 */
export const memoryError = 0.09

/** Empty where it is too large by more. */
export function nearlyFits(total: Bytes, budget: Bytes): string {
  const over = (total - budget) / budget
  if (over <= 0 || over >= memoryError) return ''
  return ` That is ${percent(over)} of the budget, which is closer than memory is predicted: nine of ten published runs of training were within ${percent(memoryError)}.`
}
