/** Predicted against measured inference: errors by family of rows, and the rows with the largest errors. */

import { median } from '../training/run.ts'
import type { Comparison } from './comparison.ts'
import type { InferenceRow } from './row.ts'

export interface Compared {
  readonly row: InferenceRow
  readonly comparison: Comparison
}

/** One configuration, however often it was measured: the geometric mean over its rows. */
interface Configuration {
  readonly row: InferenceRow
  readonly predicted: number
  readonly measured: number
  readonly parts: Readonly<Record<string, number>>
}

export interface ErrorSummary {
  readonly family: string
  readonly count: number
  /** Predicted over measured time. */
  readonly ratio: number
  readonly medianError: number
  readonly ninetiethError: number
  /** Pearson, of the logarithms. */
  readonly correlation: number
}

export function errorSummaries(rows: readonly Compared[]): readonly ErrorSummary[] {
  const families = groupedBy(configurations(rows), ({ row }) => family(row))
  return [...families]
    .map(([name, members]) => {
      const ratios = members.map(({ predicted, measured }) => predicted / measured)
      const errors = ratios.map((ratio) => Math.abs(ratio - 1)).sort((a, b) => a - b)
      return {
        family: name,
        count: members.length,
        ratio: median(ratios),
        medianError: median(errors),
        ninetiethError: errors[Math.round(0.9 * (errors.length - 1))] ?? Number.NaN,
        correlation: correlation(members),
      }
    })
    .sort((a, b) => (a.family < b.family ? -1 : 1))
}

export function inferenceTable(title: string, rows: readonly Compared[], worst: number): string {
  const summaries = errorSummaries(rows).map(({ family, count, ...figures }) =>
    [
      family.padEnd(70),
      String(count).padStart(5),
      ...[figures.ratio, figures.medianError, figures.ninetiethError, figures.correlation].map((figure) =>
        (Number.isNaN(figure) ? '' : figure.toFixed(2)).padStart(8),
      ),
    ].join(' '),
  )
  const furthest = configurations(rows)
    .sort((a, b) => logError(b) - logError(a))
    .slice(0, worst)
    .map(
      ({ row, predicted, measured, parts }) =>
        `${(predicted / measured).toFixed(2).padStart(6)}  ${milliseconds(measured).padStart(10)}  ${row.split} ${row.id}\n` +
        `        ${Object.entries(parts)
          .filter(([, seconds]) => seconds > 0.001 * predicted)
          .map(([name, seconds]) => `${name} ${milliseconds(seconds)}`)
          .join(', ')}`,
    )
  const lines = [
    `${title.padEnd(70)} count    ratio  |error|      p90        r`,
    ...summaries,
    ...(furthest.length > 0 ? ['furthest off: predicted/measured, measured', ...furthest] : []),
    ...leftOut(rows),
  ]
  return `${lines.join('\n')}\n`
}

function configurations(rows: readonly Compared[]): Configuration[] {
  const times = rows.flatMap(({ row, comparison }) =>
    comparison.status === 'compared' ? [{ row, ...comparison }] : [],
  )
  const groups = groupedBy(times, ({ row }) => row.group ?? row.id)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ ...first, measured: geometricMean(group.map(({ measured }) => measured)) }] : []
  })
}

/** What was printed, by which software on which chip: versions together. */
function family({ split, compare, stack, chip }: InferenceRow): string {
  return `${split.padEnd(4)} ${compare.padEnd(21)} ${stack.replace(/ [\d.].*$/, '').padEnd(17)} ${chip}`
}

function correlation(members: readonly Configuration[]): number {
  const x = members.map(({ predicted }) => Math.log(predicted))
  const y = members.map(({ measured }) => Math.log(measured))
  const [meanX, meanY] = [mean(x), mean(y)]
  const products = (a: readonly number[], ofA: number, b: readonly number[], ofB: number) =>
    a.reduce((sum, value, index) => sum + (value - ofA) * ((b[index] ?? ofB) - ofB), 0)
  return products(x, meanX, y, meanY) / Math.sqrt(products(x, meanX, x, meanX) * products(y, meanY, y, meanY))
}

function leftOut(rows: readonly Compared[]): readonly string[] {
  const reasons = rows.flatMap(({ comparison }) =>
    comparison.status === 'left-out' ? [comparison.reason] : [],
  )
  return [...groupedBy(reasons, (reason) => reason)].map(
    ([reason, all]) => `left out ${String(all.length).padStart(4)}: ${reason}`,
  )
}

function groupedBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

const logError = ({ predicted, measured }: Configuration) => Math.abs(Math.log(predicted / measured))
const milliseconds = (seconds: number) => `${(1000 * seconds).toPrecision(3)} ms`
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const geometricMean = (values: readonly number[]) => Math.exp(mean(values.map(Math.log)))
