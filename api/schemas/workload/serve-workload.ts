/** Serving: requests arrive at a rate, and have to be answered in time. */
import { z } from 'zod'
import { count, duration, longestSequence } from '../bound.ts'
import { optional } from '../field.ts'
import { cachedPrefixLength } from './prefill-workload.ts'
import { servedSpeculative } from './speculative.ts'

const autoWord = z.literal('auto', { error: 'expected true, false or "auto"' })

export const serveWorkload = z
  .strictObject({
    mode: z.literal('serve'),
    promptLength: count(longestSequence).describe('Mean number of tokens of a prompt, cached ones included.'),
    outputLength: count(longestSequence).describe('Mean number of tokens generated for a request.'),
    requestsPerSecond: optional(
      'Requests that arrive per second; where absent, deployments are compared at the highest rate that they sustain.',
      z.number().min(1e-9).max(1e9),
    ),
    maxTimeToFirstTokenSeconds: optional(
      'Limit on the mean time to first token, including the wait.',
      duration(),
    ),
    maxTimePerOutputTokenSeconds: optional('Limit on the time per token after the first.', duration()),
    contextLength: optional(
      'Positions that the longest request may have, prompt and output together: servers are told to take so many. Those of a request of mean lengths by default.',
      count(longestSequence),
    ),
    disaggregated: z
      .union([z.boolean(), autoWord])
      .default('auto')
      .describe(
        'Whether prefill and generation run on separate chips (true), on the same chips (false), or on whichever is better ("auto", the default).',
      ),
    cachedPrefixLength,
    speculative: z.exactOptional(servedSpeculative),
  })
  .describe('Serving: the cheapest deployment for requests that arrive at a rate, and its latencies.')

export type ServeRequest = z.output<typeof serveWorkload>
