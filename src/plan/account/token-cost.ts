/**
 * What tokens cost: chips at their price for the time that a million tokens take.
 *
 *   usd = usdPerHour / 3600 · chips · 1e6 / (tokens a second)
 *
 * Which tokens these are depends on the mode, and the cost says it: those of the batch in training, those of prompts
 * that prefill runs (without cached prefixes), those that generation adds, and of a deployment those that it answers
 * with, its prefill paid for by them too.
 */
import type { Chip } from '../../hardware/chip.ts'

export type CostedTokens = 'trained' | 'prompt' | 'generated' | 'output'

export interface TokenCost {
  /** Null where the chip has no price. */
  readonly costPerMillionTokensUsd: number | null
  readonly costedTokens: CostedTokens
}

export function tokenCost(
  { usdPerHour }: Pick<Chip, 'usdPerHour'>,
  chips: number,
  tokensPerSecond: number,
  costedTokens: CostedTokens,
): TokenCost {
  const costPerMillionTokensUsd =
    usdPerHour === undefined ? null : (usdPerHour * chips * 1e6) / 3600 / tokensPerSecond
  return { costPerMillionTokensUsd, costedTokens }
}
