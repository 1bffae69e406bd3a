/** The fault of an option that says a share of a GPU's memory: a fraction, which some write in per cent. */
export function shareFault(option: string, share: number | null): string | null {
  if (share === null || (share > 0 && share <= 1)) return null
  const meant = share > 1 && share <= 100 ? `: did you mean ${share / 100}?` : ''
  return `${option} ${share} is a share of each GPU's memory, over 0 and at most 1${meant}`
}
