/** Prefill: prompts pass through the model once. */
import { z } from 'zod'
import { count, countOrNone, longestSequence, mostBatchTokens } from '../bound.ts'
import { optional } from '../field.ts'

export const cachedPrefixLength = countOrNone(longestSequence)
  .default(0)
  .describe(
    'Positions of each prompt whose keys and values are already cached; fewer than promptLength. 0 by default.',
  )

export const prefillWorkload = z
  .strictObject({
    mode: z.literal('prefill'),
    promptLength: count(longestSequence).describe('Tokens of each prompt, cached ones included.'),
    batchSequences: count(mostBatchTokens).describe('Prompts in one batch.'),
    cachedPrefixLength,
    chunkTokens: optional(
      'Chunked prefill: new tokens of a prompt that run at once; all of them by default.',
      count(longestSequence),
    ),
    contextLength: optional(
      'Positions that the longest request may have, more than promptLength: servers are told to take so many, and there is room for one of them. A prompt and one token by default.',
      count(longestSequence),
    ),
  })
  .refine((work) => work.batchSequences * work.promptLength <= mostBatchTokens, {
    path: ['batchSequences'],
    message: `times promptLength may be at most ${mostBatchTokens} tokens`,
  })
  .describe('Prefill: prompts pass through the model once, up to the first token.')

export type PrefillRequest = z.output<typeof prefillWorkload>
