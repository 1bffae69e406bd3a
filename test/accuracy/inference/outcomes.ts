/** Every published measurement of inference: compared, or left out with the reason. */
import type { StackConstants, StackRecord } from '../../../src/assumptions/stack.ts'
import { type Compared, eraOf, isCompared, type Outcome } from '../compared.ts'
import { softwareOf } from '../software.ts'
import { type InferenceRow, publishedInference } from './row.ts'
import { predictedInference, stackOf } from './run.ts'

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
  const { model, promptLength, outputLength, precision } = row
  const { asked, times } = perChip(row)
  return {
    ...{ id, phase, kind: row.mixtureOfExperts ? 'experts' : 'dense', era: eraOf(row.year) },
    ...{ stack, release, chip, split, group: row.group ?? id },
    question: JSON.stringify([
      ...[phase, model, chip, ...asked, promptLength, outputLength],
      ...[precision, row.stack],
    ]),
    layout: JSON.stringify([row.mesh, row.strategy]),
    predicted: comparison.predicted * times,
    measured: comparison.measured * times,
    within: null,
  }
}

/**
 * Chips and sequences of what a row answers, and by what its time is to be multiplied to be compared with others of that
 * question. Servers of different sizes answer the same question if there are as many sequences to a chip, as several of
 * the smaller ones have the time of one; of rates, those to a chip are compared.
 */
function perChip({ compare, chips, batchSequences }: InferenceRow) {
  if (compare === 'max-throughput') return { asked: [null, batchSequences], times: chips }
  if (compare === 'time-per-output-token' && batchSequences !== 'max')
    return { asked: [null, batchSequences / chips], times: 1 }
  return { asked: [chips, batchSequences], times: 1 }
}
