/** Speculative decoding: the published speed-ups, its value at the extremes, and that no other draft length is better. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestSpeculation, type Draft } from '../../../src/inference/speculation/speculation.ts'
import { law } from '../../law.ts'

const share = (least: number, most: number) =>
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => least + ((most - least) * thousandths) / 1000)

/** A step that reads weights or computes, whichever is longer. */
const drafts: fc.Arbitrary<Draft> = fc
  .record({ acceptance: share(0, 1), draft: share(0, 0.5), perToken: share(0, 1), fixed: share(0, 0.5) })
  .map(({ acceptance, draft, perToken, fixed }) => ({
    acceptance,
    draftSeconds: draft * 1e-3,
    targetSeconds: (tokens) => (fixed + Math.max(1, perToken * tokens)) * 1e-3,
  }))

const lengths = Array.from({ length: 17 }, (_, tokens) => tokens)

describe('speculation', () => {
  it('multiplies the tokens of a step as in table 1 of Leviathan et al., the draft being free', () => {
    const published = [
      [0.6, 2, 1.96],
      [0.7, 3, 2.53],
      [0.8, 2, 2.44],
      [0.8, 5, 3.69],
      [0.9, 2, 2.71],
      [0.9, 10, 6.86],
    ] as const
    for (const [acceptance, tokens, speedup] of published) {
      const answer = bestSpeculation({ acceptance, tokens, draftSeconds: 0, targetSeconds: () => 1e-3 })
      expect(answer.speedup).toBeCloseTo(speedup, 2)
    }
  })

  law(
    'gives a geometric series of tokens a step, and one more than drafted where all are accepted',
    100,
    [drafts, share(0, 0.99), fc.integer({ min: 0, max: 16 })],
    (draft, acceptance, tokens) => {
      const some = bestSpeculation({ ...draft, acceptance, tokens })
      const closed = (1 - acceptance ** (tokens + 1)) / (1 - acceptance)
      expect(some.expectedTokensPerStep / closed).toBeCloseTo(1, 10)
      expect(bestSpeculation({ ...draft, acceptance: 1, tokens }).expectedTokensPerStep).toBe(tokens + 1)
    },
  )

  law(
    'is as good as the best of all drafts, the shortest of them, and never slower than none',
    100,
    [drafts],
    (draft) => {
      const best = bestSpeculation(draft)
      const times = lengths.map((tokens) => bestSpeculation({ ...draft, tokens }).secondsPerToken)
      expect(best.secondsPerToken).toBe(Math.min(...times))
      expect(best.draftTokens).toBe(times.indexOf(best.secondsPerToken))
      expect(best.speedup).toBeGreaterThanOrEqual(1)
    },
  )

  law(
    'is worth it where acceptance exceeds the cost of a draft, and by (1 + a)/(1 + c) at least',
    100,
    [share(0, 1), share(0, 1)],
    (acceptance, cost) => {
      const best = bestSpeculation({ acceptance, draftSeconds: cost * 1e-3, targetSeconds: () => 1e-3 })
      if (acceptance > cost) {
        expect(best.speedup).toBeGreaterThanOrEqual(((1 + acceptance) / (1 + cost)) * (1 - 1e-12))
      } else {
        expect(best.draftTokens).toBe(0)
      }
    },
  )

  law(
    'hurts where the step grows with its tokens, and says by how much',
    100,
    [share(0, 0.99), share(0, 1)],
    (acceptance, draftSeconds) => {
      const bound = { acceptance, draftSeconds, targetSeconds: (tokens: number) => tokens }
      expect(bestSpeculation(bound)).toMatchObject({ draftTokens: 0, expectedTokensPerStep: 1, speedup: 1 })
      expect(bestSpeculation({ ...bound, tokens: 4 }).speedup).toBeLessThan(1)
    },
  )

  law('is no slower with more accepted or a cheaper draft', 100, [drafts, share(0, 1)], (draft, part) => {
    const { secondsPerToken } = bestSpeculation(draft)
    const acceptance = draft.acceptance + part * (1 - draft.acceptance)
    const cheaper = { ...draft, draftSeconds: draft.draftSeconds * part }
    const allowed = secondsPerToken * (1 + 1e-12)
    expect(bestSpeculation({ ...draft, acceptance }).secondsPerToken).toBeLessThanOrEqual(allowed)
    expect(bestSpeculation(cheaper).secondsPerToken).toBeLessThanOrEqual(allowed)
  })

  it('takes a step of the target on the draft and one more, and a step of the draft each', () => {
    const steps: number[] = []
    const targetSeconds = (tokens: number) => {
      steps.push(tokens)
      return 10
    }
    const answer = bestSpeculation({ acceptance: 0.5, draftSeconds: 2, targetSeconds, tokens: 3 })
    expect(answer).toEqual({
      draftTokens: 3,
      draftSeconds: 2,
      expectedTokensPerStep: 1.875,
      stepSeconds: 16,
      secondsPerToken: 16 / 1.875,
      speedup: 1.171875,
    })
    expect(new Set(steps)).toEqual(new Set([4, 1]))
  })
})
