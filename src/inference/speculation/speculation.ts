/**
 * Speculative decoding: a cheap model drafts k tokens one after another, the target model checks them in one step and
 * adds a token of its own after the last that it accepts.
 *
 *   E(k) = 1 + a + … + a^k = (1 - a^(k+1)) / (1 - a)      expected tokens per step; k + 1 if a = 1
 *   t(k) = T(k + 1) + k·d                                 seconds per step
 *
 * a is the probability that a drafted token is accepted if all before it were, assumed equal at every position: if it
 * falls along the draft, long drafts are worth less than this says. T(n) is the target's step on n new tokens of each
 * sequence, d the draft's step on one. Each sequence of a batch advances by what it got itself, so that E holds for
 * each. Drafting nothing is the plain step: where that is best speculation hurts, as it must where T grows with n
 * (compute-bound).
 *
 * Source: Leviathan et al., "Fast inference from Transformers via speculative decoding" (2023), arXiv 2211.17192,
 * equation 1 and theorem 3.8.
 */
import type { SpeculationAccount } from '../../plan/inference-plan.ts'
import type { Drafted, Speculation } from '../../problem.ts'
import type { Seconds } from '../../units.ts'

export interface Draft {
  /** Probability that a drafted token is accepted if all before it were; 0..1. */
  readonly acceptance: number
  readonly draftSeconds: Seconds
  readonly targetSeconds: (newTokens: number) => Seconds
  /** Number of tokens to draft; undefined to choose the best. */
  readonly tokens?: number | undefined
}

/** Longer than any draft in use. */
const mostTokens = 16

/** The most new positions that a sequence has in a step: drafted tokens need room as well, though little. */
export function mostPositions(speculative: Speculation | undefined): number {
  return speculative ? 1 + (speculative.tokens ?? mostTokens) : 1
}

/** What a step with so many drafts is expected to give a sequence. */
export function tokensOfStep({ acceptance, tokens }: Drafted): number {
  return expectedTokens(acceptance, tokens)
}

/** The fastest draft length; of equally fast ones the shortest. */
export function bestSpeculation(draft: Draft): SpeculationAccount {
  if (draft.tokens !== undefined) return speculation(draft, draft.tokens)
  let best = speculation(draft, 0)
  for (let tokens = 1; tokens <= mostTokens; tokens++) {
    const longer = speculation(draft, tokens)
    if (longer.secondsPerToken < best.secondsPerToken) best = longer
  }
  return best
}

function speculation(
  { acceptance, draftSeconds, targetSeconds }: Draft,
  draftTokens: number,
): SpeculationAccount {
  const expectedTokensPerStep = expectedTokens(acceptance, draftTokens)
  const stepSeconds = targetSeconds(draftTokens + 1) + draftTokens * draftSeconds
  const secondsPerToken = stepSeconds / expectedTokensPerStep
  const speedup = targetSeconds(1) / secondsPerToken
  return { draftTokens, draftSeconds, expectedTokensPerStep, stepSeconds, secondsPerToken, speedup }
}

/** A sum, because the closed form is 0/0 where everything is accepted. */
function expectedTokens(acceptance: number, tokens: number): number {
  let expected = 1
  for (let place = 0; place < tokens; place++) expected = 1 + acceptance * expected
  return expected
}
