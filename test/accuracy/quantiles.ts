/** Quantiles of predicted over measured: the median of the ratios, and of their errors. */
import { median } from './training/run.ts'

export interface Errors {
  readonly rows: number
  readonly median: number
  readonly low: number
  readonly high: number
  /** Of |ratio - 1|. */
  readonly medianError: number
  readonly highError: number
}

export function errorsOf(ratios: readonly number[]): Errors {
  const errors = ratios.map((ratio) => Math.abs(ratio - 1))
  return {
    rows: ratios.length,
    median: median(ratios),
    low: quantile(ratios, 0.1),
    high: quantile(ratios, 0.9),
    medianError: median(errors),
    highError: quantile(errors, 0.9),
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
}
