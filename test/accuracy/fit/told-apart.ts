/** Whether a fit is better than what stands by more than chance. */

/** Whether errors of the same rows are smaller after than before by more than their mean difference is uncertain: its standard error. */
export function toldApart(before: readonly number[], after: readonly number[]): boolean {
  const gains = before.map((error, index) => error - (after[index] ?? error))
  const gain = mean(gains)
  const variance = mean(gains.map((one) => (one - gain) ** 2))
  return gain > Math.sqrt(variance / gains.length)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
