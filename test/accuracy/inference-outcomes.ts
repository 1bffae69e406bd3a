/** Every published measurement of inference: compared, or left out and why. */
import { eraOf, type Outcome } from './compared.ts'
import { publishedInference } from './inference-row.ts'
import { predictedInference } from './inference-run.ts'

export function inferenceOutcomes(): readonly Outcome[] {
  return publishedInference().map((row): Outcome => {
    const { id, split, chip, compare: phase } = row
    const comparison = predictedInference(row)
    if (comparison.status === 'left-out') return { id, phase, reason: comparison.reason }
    const [, stack = row.stack, release = 'not stated'] = /^(.*?)(?: ([\d.].*))?$/.exec(row.stack) ?? []
    const { model, chips, batchSequences, promptLength, outputLength, precision } = row
    return {
      ...{ id, phase, kind: row.mixtureOfExperts ? 'experts' : 'dense', era: eraOf(row.year) },
      ...{ stack, release, chip, split, group: row.group ?? id },
      question: JSON.stringify([
        ...[phase, model, chip, chips, batchSequences, promptLength, outputLength],
        ...[precision, row.stack],
      ]),
      layout: JSON.stringify([row.mesh, row.strategy]),
      predicted: comparison.predicted,
      measured: comparison.measured,
      within: null,
    }
  })
}
