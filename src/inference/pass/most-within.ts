/**
 * The largest whole number from `least` on whose amount is within a limit, given that amounts never fall; 0 if that of
 * `least` is not. Amounts are almost straight lines with steps, of which most are as wide as `step`: each guess is where
 * the line through the last two amounts meets the limit, so that few of them are needed.
 */
export function mostWithin(
  { least, step, most }: { readonly least: number; readonly step: number; readonly most: number },
  limit: number,
  amountOf: (count: number) => number,
): number {
  let [held, failed] = [least, most + 1]
  let low = amountOf(least)
  if (most < least || low > limit) return 0
  let [other, high] = [2 * least, amountOf(2 * least)]
  for (let tries = 0; failed - held > 1; tries++) {
    const line = held + ((limit - low) / (high - low)) * (other - held)
    const guess = Math.floor((Number.isFinite(line) ? line : most) / step) * step
    // Steps may be narrower, or amounts bent: halving ends the search in any case.
    const halfway = tries % 3 === 2 ? Math.floor(held / 2 + failed / 2) : Math.max(guess, held + 1)
    const next = Math.min(halfway, failed - 1)
    const amount = amountOf(next)
    if (amount <= limit) [other, high, held, low] = [held, low, next, amount]
    else [other, high, failed] = [next, amount, next]
  }
  return held
}
