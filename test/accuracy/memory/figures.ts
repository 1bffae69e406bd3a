/** Predicted over measured memory of training and of serving, and predictions for runs of which it is known only whether they fitted. */
import { publishedInference } from '../inference/row.ts'
import { predictedServingMemory } from '../inference/run.ts'
import { errorsOf } from '../quantiles.ts'
import { rounded } from '../summary.ts'
import { allocatedMemory, predictedAllocation } from './allocated.ts'
import { predictedMemory, publishedMemory } from './run.ts'
import { memoryRatio } from './table.ts'
import { type TimedFits, timedFits } from './timed.ts'

export interface MemorySummary {
  readonly rows: number
  readonly median: number
  readonly medianError: number
  readonly ninetiethError: number
}

/** Of so many runs, those that are predicted to fit. */
export interface Fitting {
  readonly fit: number
  readonly of: number
}

export interface MemoryFigures {
  readonly ratios: Readonly<Record<string, MemorySummary>>
  readonly ran: Fitting
  readonly ranOut: Fitting
  readonly timed: TimedFits
}

export function memoryFigures(): MemoryFigures {
  const training = publishedMemory().map((row) => ({
    name: `${row.split} training, ${row.stack}`,
    ratios: memoryRatio(row),
    fits: predictedMemory(row)?.fits ?? null,
    ranOut: row.outOfMemory === true,
  }))
  const serving = publishedInference().flatMap((row) => {
    const measured = 'memoryBytes' in row.measured ? row.measured.memoryBytes : undefined
    if (row.compare !== 'out-of-memory' && measured === undefined) return []
    const predicted = predictedServingMemory(row)
    const name = `${row.split} serving, ${row.stack}`
    const ratios = predicted && measured !== undefined ? [predicted.bytes / measured] : []
    return [{ name, ratios, fits: predicted?.fits ?? null, ranOut: row.compare === 'out-of-memory' }]
  })
  const tensors = allocatedMemory().map((row) => {
    const predicted = predictedAllocation(row)
    const name = `${row.split} training, tensors alone, ${row.stack}`
    const ratios = predicted === null ? [] : [predicted / row.memoryBytes]
    return { name, ratios, fits: predictedMemory(row)?.fits ?? null, ranOut: false }
  })
  const all = [...training, ...tensors, ...serving]
  const names = [...new Set(all.filter(({ ratios }) => ratios.length > 0).map(({ name }) => name))].sort()
  const fitting = (ranOut: boolean): Fitting => {
    const known = all.filter((row) => row.ranOut === ranOut && row.fits !== null)
    return { fit: known.filter(({ fits }) => fits).length, of: known.length }
  }
  const ofName = (wanted: string) =>
    summary(all.flatMap(({ name, ratios }) => (name === wanted ? ratios : [])))
  return {
    ratios: Object.fromEntries(names.map((name) => [name, ofName(name)])),
    ran: fitting(false),
    ranOut: fitting(true),
    timed: timedFits(),
  }
}

function summary(ratios: readonly number[]): MemorySummary {
  const { rows, median, medianError, highError } = errorsOf(ratios)
  return {
    ...{ rows, median: rounded(median) },
    ...{ medianError: rounded(medianError), ninetiethError: rounded(highError) },
  }
}
