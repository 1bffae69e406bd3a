/** Training: one global step, again and again. */
import { z } from 'zod'
import { optimizers } from '../../../src/recipe/optimizers.ts'
import { count, label, longestSequence, mostBatchTokens } from '../bound.ts'
import { optional } from '../field.ts'
import { optimizerName, scheduleName } from '../names.ts'

export const trainWorkload = z
  .strictObject({
    mode: z.literal('train'),
    batchTokens: optional('Tokens per global step, at least sequenceLength.', count(mostBatchTokens)),
    batchSequences: z.exactOptional(count(mostBatchTokens).describe('Sequences per global step.')),
    sequenceLength: count(longestSequence).describe('Tokens of each sequence.'),
    optimizer: optimizerName.default(optimizers[0].name),
    rematerialization: optional(
      'Rematerialisation policies that may be used; by default those of the assumptions.',
      z.array(label()).min(1).max(20),
    ),
    schedule: optional(
      'Pipeline schedules that may be used; by default those of the assumptions.',
      z.array(scheduleName).min(1).max(10),
    ),
  })
  .refine((work) => (work.batchTokens === undefined) !== (work.batchSequences === undefined), {
    message: 'needs exactly one of batchTokens and batchSequences',
  })
  .refine((work) => (work.batchSequences ?? 0) * work.sequenceLength <= mostBatchTokens, {
    path: ['batchSequences'],
    message: `times sequenceLength may be at most ${mostBatchTokens} tokens`,
  })
  .check(({ value: { batchTokens, sequenceLength }, issues }) => {
    if (batchTokens === undefined || batchTokens >= sequenceLength) return
    const message = `is ${batchTokens} tokens, fewer than the ${sequenceLength} of one sequence`
    const sequences = batchTokens * sequenceLength <= mostBatchTokens
    issues.push({
      ...{ code: 'custom', input: batchTokens, path: ['batchTokens'] },
      ...(sequences
        ? {
            message: `${message}; if you meant sequences, give batchSequences (--batch ${batchTokens}seqs)`,
            params: { meant: { batchTokens: null, batchSequences: batchTokens } },
          }
        : { message, params: { meant: { batchTokens: sequenceLength } } }),
    })
  })
  .meta({ oneOf: [{ required: ['batchTokens'] }, { required: ['batchSequences'] }] })
  .describe('Training.')

export type TrainRequest = z.output<typeof trainWorkload>
