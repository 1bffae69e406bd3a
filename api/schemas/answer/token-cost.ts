/** The cost of tokens, and which tokens are counted. */
import { z } from 'zod'

export const tokenCost = {
  costPerMillionTokensUsd: z
    .number()
    .nullable()
    .describe(
      'Price of all chips (`usdPerHour`) for the time that a million of `costedTokens` take, without speculative decoding. Null where the chip has no price; set one with `hardware.usdPerHour`.',
    ),
  costedTokens: z
    .enum(['trained', 'prompt', 'generated', 'output'])
    .describe(
      'The tokens that the cost is for. `trained`: those of the training batch. `prompt`: those that prefill computes, without cached prefixes. `generated`: those that generation adds. `output`: the output tokens of a deployment, whose price includes its prefill.',
    ),
} as const
