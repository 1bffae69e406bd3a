/** Deployments whose servers draft tokens: what a step and a token take, and what drafts that are accepted more or less often are worth. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { ServePlan } from '../../../src/plan/inference-plan.ts'
import type { Drafted, ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { catalogueModel } from '../../catalogue.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'

const setting = { model: 'llama-3.1-8b', chip: 'h100-sxm', assumptions: 'calibrated' } as const

function problemOf(workload: Omit<ServeWorkload, 'mode' | 'cachedPrefixLength'>): ServeProblem {
  const asked: ServeWorkload = { mode: 'serve', cachedPrefixLength: 0, ...workload }
  return inferenceProblem({ ...setting, chips: 4, top: 2, workload: asked })
}

const workloads = fc
  .record({
    promptLength: fc.constantFrom(300, 2048),
    outputLength: fc.constantFrom(60, 400),
    disaggregated: fc.constantFrom(true, false, 'auto' as const),
    rate: fc.constantFrom(null, 2, 20),
    perToken: fc.constantFrom(null, 0.008, 0.03),
  })
  .map(({ rate, perToken, ...workload }) => ({
    ...workload,
    ...(rate === null ? {} : { requestsPerSecond: rate }),
    ...(perToken === null ? {} : { maxTimePerOutputTokenSeconds: perToken }),
  }))

const drafts: fc.Arbitrary<Omit<Drafted, 'acceptance'>> = fc.record({
  draft: fc.constantFrom({ costRatio: 0 }, { costRatio: 0.2 }, catalogueModel('llama-3.2-1b')),
  tokens: fc.constantFrom(1, 3, 8),
})

/** Less is better: chips at a rate, else minus the rate. */
function score(problem: ServeProblem): number {
  const [best] = serve(problem, solver).plans
  if (!best) return Number.POSITIVE_INFINITY
  return problem.workload.requestsPerSecond === undefined ? -best.queueing.arrivalsPerSecond : best.chips
}

/** What generation by itself says of drafts for the sequences of a deployment's instance. */
function alone({ generate }: ServePlan, { promptLength, outputLength, speculative }: ServeWorkload) {
  const { mesh, layout, batchSequences, chipsPerInstance } = generate
  const contextLength = promptLength + outputLength
  const meanContextLength = promptLength + outputLength / 2
  const workload = { mode: 'generate' as const, batchSequences, contextLength, meanContextLength }
  const problem = inferenceProblem({
    ...setting,
    chips: chipsPerInstance,
    workload: { ...workload, ...(speculative ? { speculative } : {}) },
  })
  return legal(evaluateInference(problem, { mesh, layout: layout.components }, solver)).plan.speculation
}

describe('a deployment whose servers draft', () => {
  it('takes the step and the token that generation takes by itself, and prompts beside', () => {
    let told = 0
    forAll(4, [workloads, drafts], (workload, asked) => {
      const problem = problemOf({ ...workload, speculative: { ...asked, acceptance: 0.7 } })
      for (const plan of serve(problem, solver).plans) {
        const { disaggregated, timePerOutputTokenSeconds, longestTokenSeconds, generate } = plan
        const { speculation } = generate
        const { stepSeconds = 0, secondsPerToken = 0, draftTokens } = alone(plan, problem.workload) ?? {}
        told += 1
        expect(draftTokens).toBe(asked.tokens)
        expect((speculation?.stepSeconds ?? 0) / stepSeconds).toBeCloseTo(1, 6)
        if (disaggregated) expect(timePerOutputTokenSeconds / secondsPerToken).toBeCloseTo(1, 6)
        else {
          expect(timePerOutputTokenSeconds).toBeGreaterThan(secondsPerToken * (1 - 1e-6))
          expect(longestTokenSeconds).toBeGreaterThan(stepSeconds * (1 - 1e-6))
        }
        const { maxTimePerOutputTokenSeconds: limit = Number.POSITIVE_INFINITY } = workload
        expect(timePerOutputTokenSeconds).toBeLessThanOrEqual(limit * (1 + 1e-9))
        // Each sequence that generates has all its positions in a step.
        if (plan.stepTokens !== null) {
          expect(plan.stepTokens).toBeGreaterThan(generate.batchSequences * (1 + asked.tokens))
        }
      }
    })
    expect(told).toBeGreaterThan(0)
  })

  law(
    'is no better than one without where nothing is accepted',
    4,
    [workloads, drafts],
    (workload, asked) => {
      const drafted = score(problemOf({ ...workload, speculative: { ...asked, acceptance: 0 } }))
      // A rate that a wait sets is found within a part in 10^4.
      const without = score(problemOf(workload))
      expect(drafted).toBeGreaterThanOrEqual(
        without - 1e-3 * Math.abs(without === Number.POSITIVE_INFINITY ? 0 : without),
      )
    },
  )

  law('is no worse the more is accepted', 4, [workloads, drafts], (workload, asked) => {
    const [few, more] = [0.3, 0.9].map((acceptance) =>
      score(problemOf({ ...workload, speculative: { ...asked, acceptance } })),
    )
    if (few === undefined || more === undefined || few === Number.POSITIVE_INFINITY) return
    expect(more).toBeLessThanOrEqual(few + 1e-3 * Math.abs(few))
  })

  it('keeps a limit on tokens that none without drafts keeps, with steps that take longer than it', () => {
    const workload = { promptLength: 1024, outputLength: 200, disaggregated: 'auto' as const }
    const limited = { ...workload, requestsPerSecond: 1, maxTimePerOutputTokenSeconds: 0.003 }
    expect(serve(problemOf(limited), solver).plans).toEqual([])
    const speculative = { draft: { costRatio: 0.05 }, acceptance: 0.8, tokens: 3 }
    const [plan] = serve(problemOf({ ...limited, speculative }), solver).plans
    expect(plan?.timePerOutputTokenSeconds).toBeLessThanOrEqual(0.003)
    expect(plan?.generate.speculation?.stepSeconds).toBeGreaterThan(0.003)
  })

  it('is said to be slower where scoring takes longer than drafts give', () => {
    const speculative = { draft: { costRatio: 0.3 }, acceptance: 0.1, tokens: 4 }
    const { plans, warnings } = serve(
      problemOf({ promptLength: 512, outputLength: 400, disaggregated: true, speculative }),
      solver,
    )
    expect(plans[0]?.generate.speculation?.speedup).toBeLessThan(1)
    expect(plans[0]?.explanation.join()).toContain('drafts hurt here')
    expect(warnings.join()).toMatch(/speculation makes \d+ sequences of a generate instance .* slower/)
  })
})
