/** Serving: requests arrive at a rate, and have to be answered in time. */
import { z } from 'zod'
import { count, duration, longestSequence } from '../bound.ts'
import { cachedPrefixLength } from './prefill-workload.ts'

const autoWord = z.literal('auto', { error: 'expected true, false or "auto"' })

export const serveWorkload = z
  .strictObject({
    mode: z.literal('serve'),
    promptLength: count(longestSequence).describe('Positions of each prompt, cached ones included.'),
    outputLength: count(longestSequence).describe('Tokens generated for each request.'),
    requestsPerSecond: z.exactOptional(
      z
        .number()
        .min(1e-9)
        .max(1e9)
        .describe('That arrive; where absent, deployments are judged at the rate that they sustain.'),
    ),
    maxTimeToFirstTokenSeconds: z.exactOptional(duration().describe('From arrival, mean waiting included.')),
    maxTimePerOutputTokenSeconds: z.exactOptional(duration().describe('Of the tokens after the first.')),
    contextLength: z.exactOptional(
      count(longestSequence).describe(
        'Positions that the longest request may have, prompt and output together: servers are told to take so many. Those of a request of mean lengths by default.',
      ),
    ),
    disaggregated: z
      .union([z.boolean(), autoWord])
      .default('auto')
      .describe(
        'Prefill and generation on chips of their own (true), on the same ones (false), or the better.',
      ),
    cachedPrefixLength,
  })
  .describe('The cheapest deployment for requests that arrive at a rate, and its latencies.')

export type ServeRequest = z.output<typeof serveWorkload>
