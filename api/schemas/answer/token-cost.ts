/** The cost of tokens, and which tokens are counted. */
import { costedTokens } from '../../../src/plan/account/token-cost.ts'
import { numberOrNull, oneOf } from '../field.ts'

export const tokenCost = {
  costPerMillionTokensUsd: numberOrNull(
    'Price of all chips (`usdPerHour`) for the time that a million of `costedTokens` take: those of a deployment (`output`) with its speculative decoding, others without. The catalogue has list prices on demand of one cloud at one date (`GET /hardware/{name}` says whose and when), such as 10.8 USD an hour for h100-sxm, that of Google Cloud in February 2025: set what you pay with `hardware.usdPerHour`. Null where the chip has no price.',
  ),
  costedTokens: oneOf(
    'The tokens that the cost is for. `trained`: those of the training batch. `prompt`: those that prefill computes, without cached prefixes. `generated`: those that generation adds. `output`: the output tokens of a deployment, whose price includes its prefill.',
    costedTokens,
  ),
} as const
