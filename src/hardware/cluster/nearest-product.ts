/**
 * The product of whole numbers, one for each limit and none above its own, that comes nearest to a number from below or above. The first
 * factor is tried in turn and the rest is found in the same way; a factor is skipped when even a perfect rest would come no nearer.
 */

/** The largest product that is at most `most`; 0 when there is none. */
export function largestProduct(most: number, limits: readonly number[]): number {
  return limits.some((limit) => limit < 1) ? 0 : below(Math.floor(most), descending(limits))
}

/** The least product that is at least `least`; Infinity when there is none. */
export function leastProduct(least: number, limits: readonly number[]): number {
  if (limits.some((limit) => limit < 1)) return Number.POSITIVE_INFINITY
  return above(Math.max(1, Math.ceil(least)), descending(limits))
}

function below(most: number, [limit, ...rest]: readonly number[]): number {
  if (limit === undefined) return most >= 1 ? 1 : 0
  if (rest.length === 0) return Math.min(limit, most)
  let best = 0
  for (let factor = Math.min(limit, most); factor >= 1; factor--) {
    const room = Math.floor(most / factor)
    if (factor * room > best) best = Math.max(best, factor * below(room, rest))
  }
  return best
}

function above(least: number, [limit, ...rest]: readonly number[]): number {
  if (limit === undefined) return least <= 1 ? 1 : Number.POSITIVE_INFINITY
  if (rest.length === 0) return least <= limit ? least : Number.POSITIVE_INFINITY
  let best = Number.POSITIVE_INFINITY
  for (let factor = 1; factor <= limit; factor++) {
    const share = Math.ceil(least / factor)
    if (factor * share < best) best = Math.min(best, factor * above(share, rest))
  }
  return best
}

/** Tries the largest limit first: what one factor reaches alone is then found at once. */
function descending(limits: readonly number[]): readonly number[] {
  return [...limits].sort((a, b) => b - a)
}
