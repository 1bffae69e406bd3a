/** Summary of predicted over measured for one class of configurations. */
import { type Compared, configurations, geometricMean, groupedBy } from './compared.ts'
import { errorsOf } from './quantiles.ts'

export interface Summary {
  readonly configurations: number
  readonly measurements: number
  readonly median: number
  /** Geometric mean less 1. */
  readonly bias: number
  readonly medianError: number
  readonly ninetiethError: number
  /** Of those that have bounds; null where none has. */
  readonly withinBounds: number | null
}

/** By split and what the caller groups by, in the order of their names. */
export function summaries(
  rows: readonly Compared[],
  by: (row: Compared) => string,
  apart?: (row: Compared) => string,
): Readonly<Record<string, Summary>> {
  const groups = groupedBy(rows, (row) => `${row.split} ${by(row)}`)
  const names = [...groups.keys()].sort()
  return Object.fromEntries(names.map((name) => [name, summary(groups.get(name) ?? [], apart)]))
}

function summary(rows: readonly Compared[], apart?: (row: Compared) => string): Summary {
  const once = configurations(rows, apart)
  const ratios = once.map(({ predicted, measured }) => predicted / measured)
  const { median, medianError, highError } = errorsOf(ratios)
  const bounded = once.flatMap(({ within }) => (within === null ? [] : [within ? 1 : 0]))
  return {
    configurations: once.length,
    measurements: rows.length,
    median: rounded(median),
    bias: rounded(geometricMean(ratios) - 1),
    medianError: rounded(medianError),
    ninetiethError: rounded(highError),
    withinBounds:
      bounded.length === 0
        ? null
        : rounded(bounded.reduce((sum: number, one) => sum + one, 0) / bounded.length),
  }
}

export function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4
}
