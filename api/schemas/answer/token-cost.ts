/** The cost of tokens, and which tokens are counted. */
import { z } from 'zod'

export const tokenCost = {
  costPerMillionTokensUsd: z
    .number()
    .nullable()
    .describe(
      'All chips at their price (`usdPerHour`) for as long as a million of `costedTokens` take, without drafts of speculation; null where the chip has no price: a request may say its own, as `hardware.usdPerHour`.',
    ),
  costedTokens: z
    .enum(['trained', 'prompt', 'generated', 'output'])
    .describe(
      'Which tokens the cost is of: `trained` those of the batch, `prompt` those that prefill runs, without cached prefixes, `generated` those that generation adds to its sequences, `output` those that a deployment answers with, which pay for its prefill too.',
    ),
} as const
