/**
 * The largest whole number from `least` on whose amount is within a limit, given that amounts never fall; 0 if that of
 * `least` is not. Amounts are almost straight lines with steps, of which most are as wide as `step`: each guess is where
 * the line through the last two amounts meets the limit. Guesses that would only creep along go twice as far each time.
 */
export function mostWithin(
  { least, step, most }: { readonly least: number; readonly step: number; readonly most: number },
  limit: number,
  amountOf: (count: number) => number,
): number {
  let low = amountOf(least)
  if (most < least || low > limit) return 0
  let [held, failed] = [least, most + 1]
  let [other, high] = [2 * least, amountOf(2 * least)]
  let [up, down] = [1, 1]
  for (let tries = 1; failed - held > 1; tries++) {
    const line = held + ((limit - low) / (high - low)) * (other - held)
    const guess = Math.floor((Number.isFinite(line) ? line : most) / step) * step
    // Where amounts are bent, halving ends the search in any case.
    const halves = up + down >= failed - held || (tries % 4 === 0 && failed <= most)
    const next = halves
      ? Math.floor((held + failed) / 2)
      : Math.min(Math.max(guess, held + up), failed - down)
    if (next === held + up) up *= 2
    if (next === failed - down) down *= 2
    const amount = amountOf(next)
    if (amount <= limit) [other, high, held, low] = [held, low, next, amount]
    else [other, high, failed] = [next, amount, next]
  }
  return held
}
