/** Prefill: prompts pass through the model once. */
import { z } from 'zod'
import { count, countOrNone, longestSequence, mostBatchTokens } from '../bound.ts'

export const cachedPrefixLength = countOrNone(longestSequence)
  .default(0)
  .describe('Positions of each prompt whose keys and values are cached already; fewer than promptLength.')

export const prefillWorkload = z
  .strictObject({
    mode: z.literal('prefill'),
    promptLength: count(longestSequence).describe('Positions of each prompt, cached ones included.'),
    batchSequences: count(mostBatchTokens).describe('Prompts that go through together.'),
    cachedPrefixLength,
    chunkTokens: z.exactOptional(
      count(longestSequence).describe('New positions of a prompt that run at once; all of them by default.'),
    ),
  })
  .refine((work) => work.batchSequences * work.promptLength <= mostBatchTokens, {
    path: ['batchSequences'],
    message: `times promptLength may be at most ${mostBatchTokens} tokens`,
  })
  .describe('Prompts through the model once: the time to the first token.')

export type PrefillRequest = z.output<typeof prefillWorkload>
