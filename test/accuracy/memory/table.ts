/** Predicted over measured memory of published training runs, by split and source; nothing is fitted to any of them. */

import { errorsOf } from '../quantiles.ts'
import { type PublishedMemory, predictedMemory } from './run.ts'

export function memoryTable(rows: readonly PublishedMemory[]): string {
  const sourceOf = ({ split, source, chip }: PublishedMemory) =>
    `${split} ${source.split('@')[0] ?? source} ${chip}`
  const groups = [...new Set(rows.map(sourceOf))].sort()
  const lines = groups.map((group) => {
    const ratios = rows.filter((row) => sourceOf(row) === group).flatMap(memoryRatio)
    const { rows: count, median, low, high, medianError, highError } = errorsOf(ratios)
    const figures = [median, low, high, medianError, highError].map((value) => value.toFixed(2).padStart(7))
    return `${group.padEnd(56)}${String(count).padStart(5)}${figures.join('')}`
  })
  const ran = rows.filter(({ outOfMemory }) => !outOfMemory)
  const failed = rows.filter(({ outOfMemory }) => outOfMemory)
  const fitting = (some: readonly PublishedMemory[]) =>
    `${some.filter((row) => predictedMemory(row)?.fits).length} of ${some.length}`
  return [
    'training memory: predicted over measured bytes per chip, the reserve included',
    `${'split, source, chip'.padEnd(56)} rows median    p10    p90  |err|    p90`,
    ...lines,
    `predicted to fit: ${fitting(ran)} that ran, ${fitting(failed)} that ran out of memory`,
    '',
  ].join('\n')
}

/** Empty where nothing was measured, or the layout cannot be expressed. */
export function memoryRatio(row: PublishedMemory): readonly number[] {
  const memory = predictedMemory(row)
  return memory && row.memoryBytes !== undefined ? [memory.total / row.memoryBytes] : []
}
