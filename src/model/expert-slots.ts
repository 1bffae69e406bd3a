/**
 * How whole experts lie on chips: E experts and at least r copies on e chips take
 *
 *   s = ceil((E + r) / e)      slots on each chip, all of which count in its memory
 *   s · e - E                  copies of the experts that most tokens visit: the work of an expert is shared out among
 *                              its copies, so that all slots are visited alike
 *
 * On one chip there is nothing to balance, and no copy. Copies are only for weights that stay as they are: training keeps none.
 * Source: DeepSeek-V3 (arXiv 2412.19437), section 3.4: of 256 experts 9 on each of 32 chips for prefill, on 320 chips one
 * each for decoding; its "Inference System Overview" (2025): r = 32 on 32 and on 144 chips.
 */
export interface ExpertSlots {
  readonly perChip: number
  readonly redundant: number
}

export function expertSlots(experts: number, chips: number, copies = 0): ExpertSlots {
  if (chips === 1) return { perChip: experts, redundant: 0 }
  const perChip = Math.ceil((experts + copies) / chips)
  return { perChip, redundant: perChip * chips - experts }
}
