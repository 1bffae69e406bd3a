/** Every published measurement of inference: compared, or left out with the reason. */
import type { StackConstants, StackRecord } from '../../src/assumptions/stack.ts'
import { type Compared, eraOf, isCompared, type Outcome } from './compared.ts'
import { type InferenceRow, publishedInference } from './inference-row.ts'
import { predictedInference, stackOf } from './inference-run.ts'
import { softwareOf } from './software.ts'

export function inferenceOutcomes(): readonly Outcome[] {
  return publishedInference().map((row) => outcome(row))
}

/** Those that a stack is of, as `assumptions.stack` costs them, or with other constants; named by it. */
export function stackedInference(
  constantsOf: (stack: StackRecord) => StackConstants = ({ constants }) => constants,
): readonly Compared[] {
  return publishedInference().flatMap((row) => {
    const stack = stackOf(row)
    const found = stack && outcome(row, constantsOf(stack))
    return found && isCompared(found) ? [{ ...found, stack: stack.name }] : []
  })
}

function outcome(row: InferenceRow, constants?: StackConstants): Outcome {
  const { id, split, chip, compare: phase } = row
  const comparison = predictedInference(row, constants)
  if (comparison.status === 'left-out') return { id, phase, reason: comparison.reason }
  const { stack, release } = softwareOf(row)
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
}
