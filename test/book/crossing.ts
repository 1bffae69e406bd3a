/** Finds limits numerically instead of by formula: where one cost overtakes another, and where a cost is least. */

/** The x in [low, high] where `difference` changes its sign, by bisection in log x to a relative `precision`. */
export function crossing(
  difference: (x: number) => number,
  low: number,
  high: number,
  precision = 1e-7,
): number {
  const rising = Math.sign(difference(high))
  if (rising === 0 || rising === Math.sign(difference(low))) {
    throw new RangeError(`No crossing between ${low} and ${high}`)
  }
  let [below, above] = [Math.log(low), Math.log(high)]
  for (let step = 0; step < 100 && above - below > precision; step++) {
    const middle = (below + above) / 2
    if (Math.sign(difference(Math.exp(middle))) === rising) above = middle
    else below = middle
  }
  return Math.exp((below + above) / 2)
}

/** The x in [low, high] where a cost with one valley is least, by golden section in log x. */
export function leastAt(cost: (x: number) => number, low: number, high: number): number {
  const golden = (Math.sqrt(5) - 1) / 2
  let [left, right] = [Math.log(low), Math.log(high)]
  for (let step = 0; step < 35; step++) {
    const span = golden * (right - left)
    if (cost(Math.exp(right - span)) <= cost(Math.exp(left + span))) right = left + span
    else left = right - span
  }
  return Math.exp((left + right) / 2)
}
