/** The cost of tokens, and which tokens are counted. */
import { numberOrNull, oneOf } from '../field.ts'

export const tokenCost = {
  costPerMillionTokensUsd: numberOrNull(
    'Price of all chips (`usdPerHour`) for the time that a million of `costedTokens` take, without speculative decoding. Null where the chip has no price; set one with `hardware.usdPerHour`.',
  ),
  costedTokens: oneOf(
    'The tokens that the cost is for. `trained`: those of the training batch. `prompt`: those that prefill computes, without cached prefixes. `generated`: those that generation adds. `output`: the output tokens of a deployment, whose price includes its prefill.',
    ['trained', 'prompt', 'generated', 'output'],
  ),
} as const
