/** Where no deployment gives tokens in time, the least time that is told is one that a deployment keeps to, and no less than any does. */
import { describe, expect, it } from 'vitest'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'

describe('a limit on the time of a token that no deployment keeps', () => {
  const limited = (maxTimePerOutputTokenSeconds: number, rate: { readonly requestsPerSecond?: number }) =>
    serve(
      inferenceProblem({
        model: 'llama-3.3-70b',
        chip: 'h200-sxm',
        chips: 64,
        workload: {
          ...{ mode: 'serve' as const, promptLength: 2048, outputLength: 256 },
          ...rate,
          ...{ disaggregated: 'auto' as const, cachedPrefixLength: 0, maxTimePerOutputTokenSeconds },
        },
        precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
        top: 1,
      }),
      solver,
    )

  it('is told the least that one was found to take, which one of eight chips does and the pool as one instance does not', () => {
    const { plans, infeasible } = limited(0.006, { requestsPerSecond: 20 })
    expect(plans).toEqual([])
    const [reason] = infeasible?.reasons ?? []
    const [, text] =
      /take for a token, at any rate, is ([\d.]+) ms, over the limit of 6 ms/.exec(reason?.detail ?? '') ?? []
    const least = Number(text) / 1000
    expect(least).toBeLessThanOrEqual(infeasible?.nearest?.plan.timePerOutputTokenSeconds ?? 0)
    expect(limited(least, {}).plans).toHaveLength(1)
    expect(limited(0.97 * least, {}).plans).toEqual([])
  })
})
