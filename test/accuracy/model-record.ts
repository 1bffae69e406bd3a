/**
 * Models whose own runs were far from their predictions, on chips of one generation and under one framework: `models` of
 * fixtures/residuals.json (src/plan/certainty/model-runs.ts). Rows that constants were fitted to count, as what a fit leaves of an error
 * is no more than the error; releases of before 2024 do not, as plans are launched with those of today.
 */
import { transformer } from '../../src/model/architecture.ts'
import { spelledOut } from '../../src/model/spelling.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import { isFarOff, octaveOf } from '../../src/plan/certainty/model-runs.ts'
import { shapeOf } from '../../src/plan/certainty/recipes.ts'
import type { ModelRuns } from '../../src/plan/certainty/residuals.ts'
import { type Compared, configurations, groupedBy } from './compared.ts'
import { publishedInference } from './inference/row.ts'
import { modeOf, softwareOf } from './residual-record.ts'
import { files, frameworkOf, generationOf } from './software.ts'
import { rounded } from './summary.ts'
import { catalogueModel, median, publishedRows } from './training/run.ts'

/** `named` is false for runs of training that are predicted as a request that names no software. */
export function modelRecord(rows: readonly Compared[], named = true): readonly ModelRuns[] {
  const shapes = shapesOfRows()
  const training = files.flatMap((file) => publishedRows(file))
  const lengths = new Map(training.map(({ id, sequenceLength }) => [id, sequenceLength]))
  const known = configurations(rows.filter(({ era }) => era === 'modern')).flatMap((row) => {
    const mode = modeOf[row.phase]
    const [framework, generation] = [frameworkOf(row.stack), generationOf(row.chip)]
    const shape = shapes.get(row.id)?.()
    if (!mode || !framework || !generation || !shape) return []
    const length = mode === 'train' ? lengths.get(row.id) : undefined
    const octave = length === undefined ? null : octaveOf(length)
    const key = { mode, shape, generation, framework, named: mode === 'train' ? named : null, octave }
    return { key, software: row.stack, release: row.release, ratio: row.measured / row.predicted }
  })
  return [...groupedBy(known, ({ key }) => JSON.stringify(key)).values()].flatMap((alike) => {
    const [first] = alike
    const middle = rounded(median(alike.map(({ ratio }) => ratio)))
    if (!first || !isFarOff(middle)) return []
    return { ...first.key, rows: alike.length, software: softwareOf(alike), median: middle }
  })
}

/** Keys of the architectures that rows ran, by row: worked out for rows that are compared, as the catalogue has those. */
function shapesOfRows(): ReadonlyMap<string, () => string> {
  const training = files.flatMap((file) => publishedRows(file))
  const own = <Given>(given: string | Given, of: (given: Given) => Transformer) =>
    shapeOf(typeof given === 'string' ? catalogueModel(given) : of(given))
  return new Map([
    ...training.map(({ id, model }) => [id, () => own(model, (given) => transformer(id, given))] as const),
    ...publishedInference().map(
      ({ id, model }) => [id, () => own(model, (given) => spelledOut(id, given))] as const,
    ),
  ])
}
