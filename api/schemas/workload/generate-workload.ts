/** Generation: repeated steps that each add a token to every sequence of a batch. */
import { z } from 'zod'
import { count, duration, longestSequence, mostBatchTokens } from '../bound.ts'
import { optional } from '../field.ts'
import { speculative } from './speculative.ts'

const most = z.literal('max', { error: 'expected a whole number, or "max" for as many as memory holds' })

export const generateWorkload = z
  .strictObject({
    mode: z.literal('generate'),
    batchSequences: z
      .union([count(mostBatchTokens), most])
      .describe(
        'Sequences that run at once, over all replicas and pipeline stages; "max" for as many as fit into memory.',
      ),
    maxSequences: z.exactOptional(
      count(mostBatchTokens).describe(
        'With batchSequences "max": at most so many, even if memory holds more; the cap that servers are told.',
      ),
    ),
    contextLength: count(longestSequence).describe('Positions that the KV cache of a sequence has room for.'),
    meanContextLength: optional(
      'Mean number of positions of a sequence: what is read, and with paged caches also what is stored; contextLength by default.',
      count(longestSequence),
    ),
    maxStepSeconds: optional('Longest time of a step, which adds one token to each sequence.', duration()),
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
  .refine(({ batchSequences, maxSequences }) => batchSequences === 'max' || maxSequences === undefined, {
    path: ['maxSequences'],
    message: 'is for batchSequences "max" alone',
  })
  .describe('Generation: repeated steps, each of which adds one token to every sequence of a batch.')

export type GenerateRequest = z.output<typeof generateWorkload>
