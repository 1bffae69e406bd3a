/** Generation: repeated steps that each add a token to every sequence of a batch. */
import { z } from 'zod'
import { count, duration, longestSequence, mostBatchTokens } from '../bound.ts'
import { speculative } from './speculative.ts'

const most = z.literal('max', { error: 'expected a whole number, or "max" for as many as memory holds' })

export const generateWorkload = z
  .strictObject({
    mode: z.literal('generate'),
    batchSequences: z
      .union([count(mostBatchTokens), most])
      .describe(
        'Sequences resident at once, over all replicas and stages; "max" for as many as memory holds.',
      ),
    contextLength: count(longestSequence).describe("Positions that a sequence's cache has room for."),
    meanContextLength: z.exactOptional(
      count(longestSequence).describe(
        'Positions that a sequence holds on average: what is read, and with paged caches kept; contextLength by default.',
      ),
    ),
    maxStepSeconds: z.exactOptional(
      duration().describe('What a step, one token of each sequence, may take.'),
    ),
    speculative: z.exactOptional(speculative),
  })
  .refine(
    ({ batchSequences, contextLength }) =>
      batchSequences === 'max' || batchSequences * contextLength <= mostBatchTokens,
    {
      path: ['batchSequences'],
      message: `times contextLength may be at most ${mostBatchTokens} tokens`,
    },
  )
  .describe('One token for each of a batch of sequences, again and again.')

export type GenerateRequest = z.output<typeof generateWorkload>
