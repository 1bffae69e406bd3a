/** The least whole number from 1 to `most` for which `holds` is true, if it is then true for all above; null when there is none. */
export function leastThat(most: number, holds: (count: number) => boolean): number | null {
  let [failed, tried] = [0, Math.min(1, most)]
  if (most < 1) return null
  while (!holds(tried)) {
    if (tried === most) return null
    failed = tried
    tried = Math.min(2 * tried, most)
  }
  while (tried - failed > 1) {
    const middle = Math.floor((failed + tried) / 2)
    if (holds(middle)) tried = middle
    else failed = middle
  }
  return tried
}

/**
 * A value that is met, and none met is below it by more than the share: bisects by ratio between one that is missed and one that is met, each middle
 * as `shown` rounds it.
 */
export function leastWithin(
  share: number,
  [missed, met]: readonly [missed: number, met: number],
  shown: (value: number) => number,
  isMet: (value: number) => boolean,
): number {
  let [low, high] = [missed, met]
  while (high > low * (1 + share)) {
    const middle = shown(Math.sqrt(low * high))
    if (middle <= low || middle >= high) break
    if (isMet(middle)) high = middle
    else low = middle
  }
  return high
}

/** The most from 0 to `most` up to which `holds` is true, if it is then false for all above. */
export function mostThat(most: number, holds: (count: number) => boolean): number {
  return (leastThat(most, (count) => !holds(count)) ?? most + 1) - 1
}
