/**
 * Cost of a million tokens: the price of the chips for the time that these take.
 *
 *   usd = usdPerHour / 3600 · chips · 1e6 / (tokens per second)
 *
 * `costedTokens` says which tokens are counted: in training those of the batch, in prefill those of prompts (without
 * cached prefixes), in generation the new ones, and in a deployment the output, which then pays for prefill too.
 */
import type { Chip } from '../../hardware/chip.ts'

export const costedTokens = ['trained', 'prompt', 'generated', 'output'] as const

export type CostedTokens = (typeof costedTokens)[number]

export interface TokenCost {
  /** Null if the chip has no price. */
  readonly costPerMillionTokensUsd: number | null
  readonly costedTokens: CostedTokens
}

export function tokenCost(
  { usdPerHour }: Pick<Chip, 'usdPerHour'>,
  chips: number,
  tokensPerSecond: number,
  counted: CostedTokens,
): TokenCost {
  const costPerMillionTokensUsd =
    usdPerHour === undefined ? null : (usdPerHour * chips * 1e6) / 3600 / tokensPerSecond
  return { costPerMillionTokensUsd, costedTokens: counted }
}
