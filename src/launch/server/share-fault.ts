/** Fewer per cent of a GPU's memory than this nobody gives a server. */
const fewPercent = 5

/** The fault of an option that says a share of a GPU's memory: a fraction, which some write in per cent. */
export function shareFault(option: string, share: number | null): string | null {
  if (share === null || (share > 0 && share <= 1)) return null
  // A hundredth of 1.2 is nobody's share: that is a fraction gone wrong, which may have been any.
  const meant =
    share >= fewPercent && share <= 100 ? `: did you mean ${Number((share / 100).toPrecision(6))}?` : ''
  return `${option} ${share} is a share of each GPU's memory, over 0 and at most 1${meant}`
}
