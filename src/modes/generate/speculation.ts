/**
 * Speculative decoding: a cheap model drafts k tokens one after another, the target model checks them in one step and adds
 * a token of its own after the last that it accepts.
 *
 *   E(k) = 1 + a + … + a^k = (1 - a^(k+1)) / (1 - a)      tokens that a step is expected to give, k + 1 where a = 1
 *   t(k) = T(k + 1) + k·d                                 seconds of a step
 *
 * a is the probability that a drafted token is accepted where those before it were, taken to be the same at every place:
 * where it falls along the draft, long drafts are worth less than this says. T(n) is the target's step on n new tokens of
 * each sequence, d the draft's on one. Sequences of a batch advance each by what it got, so that E holds of each. Drafting
 * nothing is the plain step: where that is best, speculation hurts, as it must where T grows with n (compute-bound).
 *
 * Source: Leviathan et al., "Fast inference from Transformers via speculative decoding" (2023), arXiv 2211.17192,
 * equation 1 and theorem 3.8.
 */
import type { Seconds } from '../../units.ts'

export interface Draft {
  /** Between 0 and 1. */
  readonly acceptance: number
  readonly draftSeconds: Seconds
  readonly targetSeconds: (newTokens: number) => Seconds
  /** How many to draft, where that is given. */
  readonly tokens?: number | undefined
}

export interface Speculation {
  /** Drafted in a step. */
  readonly tokens: number
  readonly expectedTokens: number
  readonly stepSeconds: Seconds
  readonly secondsPerToken: Seconds
  /** Over the target model alone; below 1 where the given draft hurts. */
  readonly speedup: number
}

/** Longer drafts than any that are in use. */
export const mostTokens = 16

/** Of drafts equally fast, the shortest. */
export function bestSpeculation(draft: Draft): Speculation {
  if (draft.tokens !== undefined) return speculation(draft, draft.tokens)
  let best = speculation(draft, 0)
  for (let tokens = 1; tokens <= mostTokens; tokens++) {
    const longer = speculation(draft, tokens)
    if (longer.secondsPerToken < best.secondsPerToken) best = longer
  }
  return best
}

function speculation({ acceptance, draftSeconds, targetSeconds }: Draft, tokens: number): Speculation {
  const expected = expectedTokens(acceptance, tokens)
  const stepSeconds = targetSeconds(tokens + 1) + tokens * draftSeconds
  const secondsPerToken = stepSeconds / expected
  return {
    tokens,
    expectedTokens: expected,
    stepSeconds,
    secondsPerToken,
    speedup: targetSeconds(1) / secondsPerToken,
  }
}

/** As a sum: the quotient is 0/0 where everything is accepted. */
function expectedTokens(acceptance: number, tokens: number): number {
  let expected = 1
  for (let place = 0; place < tokens; place++) expected = 1 + acceptance * expected
  return expected
}
