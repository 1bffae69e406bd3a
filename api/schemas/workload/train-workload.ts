/** One global step of training, again and again. */

import { z } from 'zod'
import { optimizers } from '../../../src/recipe/optimizers.ts'
import { count, label, longestSequence, mostBatchTokens } from '../bound.ts'
import { optimizerName, scheduleName } from '../names.ts'

export const trainWorkload = z
  .strictObject({
    mode: z.literal('train'),
    batchTokens: z.exactOptional(count(mostBatchTokens).describe('Tokens of one global step.')),
    batchSequences: z.exactOptional(count(mostBatchTokens).describe('Sequences of one global step.')),
    sequenceLength: count(longestSequence),
    optimizer: optimizerName.default(optimizers[0].name),
    rematerialization: z.exactOptional(
      z.array(label()).min(1).max(20).describe('Policies that may be used; all by default.'),
    ),
    schedule: z.exactOptional(
      z
        .array(scheduleName)
        .min(1)
        .max(10)
        .describe('Pipeline schedules that may be used; those of the assumptions by default.'),
    ),
  })
  .refine((work) => (work.batchTokens === undefined) !== (work.batchSequences === undefined), {
    message: 'needs exactly one of batchTokens and batchSequences',
  })
  .refine((work) => (work.batchSequences ?? 0) * work.sequenceLength <= mostBatchTokens, {
    path: ['batchSequences'],
    message: `times sequenceLength may be at most ${mostBatchTokens} tokens`,
  })
  .meta({ oneOf: [{ required: ['batchTokens'] }, { required: ['batchSequences'] }] })
  .describe('Training.')

export type TrainRequest = z.output<typeof trainWorkload>
