import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import { fullAttention } from '../../../src/model/transformer.ts'
import type { InferencePlan, SpeculationAccount } from '../../../src/plan/inference-plan.ts'
import type { InferenceSketch } from '../../../src/plan-sketch.ts'
import type { GenerateProblem, PhaseProblem, Speculation } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { switched } from '../../book/hardware/networks.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { generateProblems, phases, prefillProblems } from './problems.ts'

/** Sums of the same numbers in another order. */
const rounding = 1e-9

function expectAlike(is: number, should: number): void {
  expect(Math.abs(is - should)).toBeLessThanOrEqual(rounding * should)
}

function evaluated(problem: PhaseProblem, sketch: InferenceSketch): InferencePlan {
  return legal(evaluateInference(problem, sketch, solver)).plan
}

function withBatch({ workload, ...rest }: GenerateProblem, batchSequences: number | 'max'): GenerateProblem {
  return { ...rest, workload: { ...workload, batchSequences } }
}

/** Chips that may have sequences of their own: a batch may be a few less than fits, so that it lies evenly on them. */
function sharesOf({ data, tensor, tensor2 }: Mesh): number {
  return data * tensor * tensor2
}

function expectNoBetter(problem: PhaseProblem, { tokensPerSecond }: InferencePlan): void {
  const [best] = infer(problem, solver).plans
  expect(best?.tokensPerSecond ?? 0).toBeLessThanOrEqual(tokensPerSecond * (1 + rounding))
}

function withPattern<Given extends PhaseProblem>(
  problem: Given,
  pattern: Partial<typeof fullAttention>,
): Given {
  return { ...problem, model: { ...problem.model, attention: { ...fullAttention, ...pattern } } }
}

/** Whatever can be launched: a written plan that no server runs is costed all the same, where the search lists none. */
function unfiltered<Given extends PhaseProblem>(problem: Given): Given {
  return { ...problem, assumptions: { ...problem.assumptions, frameworks: [] } }
}

/** A budget that no sum of bytes is equal to: at the byte, rounding decides. */
const tightProblems = generateProblems.map((problem) => ({
  ...unfiltered(problem),
  memoryBudget: Math.SQRT1_2 * problem.memoryBudget,
}))

describe('a batch as large as fits', () => {
  law('is one that fits, where one more on each chip does not', 8, [tightProblems], (problem) => {
    for (const { batchSequences, mesh } of infer(withBatch(problem, 'max'), solver).plans) {
      const fits = (batch: number) => evaluated(withBatch(problem, batch), { mesh, layout: {} }).feasible
      expect([fits(batchSequences), fits(batchSequences + sharesOf(mesh))]).toEqual([true, false])
    }
  })

  law('is the largest that fits where the time of a step is what counts', 5, [tightProblems], (problem) => {
    const soonest = { ...withBatch(problem, 'max'), objective: 'latency' as const }
    for (const { batchSequences, mesh } of infer(soonest, solver).plans) {
      const fits = (batch: number) => evaluated(withBatch(problem, batch), { mesh, layout: {} }).feasible
      expect([fits(batchSequences), fits(batchSequences + 1)]).toEqual([true, false])
    }
  })

  law('is what each plan says that its own layouts hold', 5, [tightProblems], (problem) => {
    for (const { mesh, layout, maxBatchSequences = Number.NaN } of infer(problem, solver).plans) {
      const fits = (batch: number) =>
        evaluated(withBatch(problem, batch), { mesh, layout: layout.components }).feasible
      expect([fits(maxBatchSequences), fits(maxBatchSequences + 1)]).toEqual([true, false])
    }
  })

  law(
    'gives no fewer tokens a second than a smaller one',
    12,
    [tightProblems, fc.double({ min: 0.3, max: 1, noNaN: true })],
    (problem, share) => {
      const [most] = infer(withBatch(problem, 'max'), solver).plans
      if (!most) return
      expectNoBetter(withBatch(problem, Math.ceil(share * most.batchSequences)), most)
    },
  )

  it('gives no fewer tokens a second than a smaller one of LLaMA 3 70B on sixteen v5e', () => {
    const problem = inferenceProblem({
      model: 'llama-3-70b',
      chip: 'tpu-v5e',
      topology: [4, 4],
      workload: generation('max', 8192),
      precision: { weights: 'int8', kvCache: 'int8' },
    })
    const [most] = infer(problem, solver).plans
    if (!most) throw new Error('Nothing fits')
    for (let batch = 100; batch <= 116; batch += 4) expectNoBetter(withBatch(problem, batch), most)
  })

  law(
    'ends where the step would be longer than asked',
    5,
    [tightProblems, fc.double({ min: 1.1, max: 10, noNaN: true })],
    (problem, times) => {
      const [one] = infer(withBatch(problem, 1), solver).plans
      fc.pre(one !== undefined)
      const maxStepSeconds = times * (one?.stepTimeSeconds ?? 0)
      const limited = (batch: number | 'max') => {
        const { workload, ...rest } = withBatch(problem, batch)
        return { ...rest, workload: { ...workload, maxStepSeconds } }
      }
      for (const { batchSequences, mesh, stepTimeSeconds } of infer(limited('max'), solver).plans) {
        expect(stepTimeSeconds).toBeLessThanOrEqual(maxStepSeconds)
        const more = withBatch(problem, batchSequences + sharesOf(mesh))
        const plan = evaluated(more, { mesh, layout: {} })
        expect(plan.feasible && plan.stepTimeSeconds <= maxStepSeconds).toBe(false)
      }
    },
  )
})

describe.each(phases)('in %s', (_, problems) => {
  it('a window at least as long as the context costs what full attention costs', () => {
    const extra = fc.nat(1000)
    forAll(8, [problems, extra, fc.nat(3)], (problem, beyond, globalEvery) => {
      const { workload } = problem
      const length = workload.contextLength ?? (workload.mode === 'prefill' ? workload.promptLength : 0)
      const full = infer(withPattern(problem, {}), solver).plans
      const windowed = infer(withPattern(problem, { window: length + beyond, globalEvery }), solver).plans
      expect(windowed.map(({ id }) => id)).toEqual(full.map(({ id }) => id))
      windowed.forEach(({ stepTimeSeconds, memoryBytes }, at) => {
        expectAlike(stepTimeSeconds, full[at]?.stepTimeSeconds ?? Number.NaN)
        expectAlike(memoryBytes.total, full[at]?.memoryBytes.total ?? Number.NaN)
      })
    })
  })

  law(
    'layers that share a cache take no more time and no more memory',
    4,
    [problems, fc.integer({ min: 2, max: 4 })],
    (problem, kvShareGroup) => {
      for (const plan of infer(withPattern(problem, {}), solver).plans) {
        const sketch = { mesh: plan.mesh, layout: plan.layout.components }
        const shared = evaluated(withPattern(problem, { kvShareGroup }), sketch)
        const own = evaluated(withPattern(problem, { kvShareGroup: 1 }), sketch)
        expect(own.stepTimeSeconds / plan.stepTimeSeconds).toBeCloseTo(1, 12)
        expect(shared.stepTimeSeconds).toBeLessThanOrEqual(plan.stepTimeSeconds * (1 + rounding))
        expect(shared.memoryBytes.total).toBeLessThanOrEqual(plan.memoryBytes.total * (1 + rounding))
      }
    },
  )
})

describe('a chunk', () => {
  law('that is all of the prompt is no chunk', 8, [prefillProblems], (problem) => {
    const { chunkTokens: _chunk, ...workload } = problem.workload
    const whole = workload.promptLength - workload.cachedPrefixLength
    const unstaged = { ...problem, constraints: { pipeline: 1 } }
    const uncut = infer({ ...unstaged, workload }, solver).plans
    const cut = infer({ ...unstaged, workload: { ...workload, chunkTokens: whole } }, solver).plans
    expect(cut).toEqual(uncut)
  })

  law(
    'never makes a prefill without stages faster, the context being the same for all',
    12,
    [prefillProblems, fc.integer({ min: 2, max: 8 })],
    (problem, chunks) => {
      const { chunkTokens: _chunk, ...workload } = problem.workload
      const fresh = workload.promptLength - workload.cachedPrefixLength
      fc.pre(fresh % chunks === 0 && fresh / chunks >= problem.cluster.chips)
      // Chunks need less room while they run: memory is left out.
      const roomy = { ...unfiltered(problem), memoryBudget: 1e15, constraints: { pipeline: 1 } }
      const [uncut] = infer({ ...roomy, workload }, solver).plans
      const [cut] = infer({ ...roomy, workload: { ...workload, chunkTokens: fresh / chunks } }, solver).plans
      expect(cut?.stepTimeSeconds).toBeGreaterThanOrEqual((uncut?.stepTimeSeconds ?? 0) * (1 - rounding))
    },
  )
})

describe('speculation', () => {
  const accounts = (
    speculative: fc.Arbitrary<Speculation>,
    hold: (account: SpeculationAccount, given: Speculation, plan: InferencePlan) => void,
  ) =>
    forAll(6, [generateProblems, speculative], ({ workload, ...rest }, given) => {
      const problem = { ...rest, workload: { ...workload, speculative: given } }
      for (const plan of infer(problem, solver).plans) {
        const { speculation } = plan
        if (!speculation) throw new Error('Drafts were asked for')
        hold(speculation, given, plan)
      }
    })
  const draft = fc.record({ costRatio: fc.double({ min: 0, max: 0.5, noNaN: true }) })
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const tokens = fc.integer({ min: 1, max: 8 })

  it('of which nothing is accepted never helps', () => {
    accounts(fc.record({ draft, acceptance: fc.constant(0), tokens }), ({ speedup }) => {
      expect(speedup).toBeLessThanOrEqual(1 + rounding)
    })
  })

  it('of the best length is no slower than none, and no slower than any other', () => {
    accounts(fc.record({ draft, acceptance: share }), (best, _given, plan) => {
      expect(best.speedup).toBeGreaterThanOrEqual(1)
      expect(best.secondsPerToken).toBeLessThanOrEqual(plan.stepTimeSeconds * (1 + rounding))
      if (best.draftTokens === 0) expectAlike(best.secondsPerToken, plan.stepTimeSeconds)
    })
  })

  it('that is free and always right gives a token more for each', () => {
    accounts(
      fc.record({ draft: fc.constant({ costRatio: 0 }), acceptance: fc.constant(1), tokens }),
      ({ draftTokens, expectedTokensPerStep }, given) => {
        expect(draftTokens).toBe(given.tokens)
        expect(expectedTokensPerStep).toBe(draftTokens + 1)
      },
    )
  })

  it('takes a step that is no shorter than without', () => {
    accounts(fc.record({ draft, acceptance: share, tokens }), ({ stepSeconds }, _given, plan) => {
      expect(stepSeconds).toBeGreaterThanOrEqual(plan.stepTimeSeconds * (1 - rounding))
    })
  })
})

describe('four stages, beside four chips with a quarter of each layer', () => {
  const stages = 4
  /** Equal stages, no vocabulary, a network that is in nobody's way, and memory for all. */
  const evenly: fc.Arbitrary<GenerateProblem> = generateProblems.map((problem) => {
    const { chip } = problem.cluster
    return {
      ...problem,
      cluster: { chip, chips: stages, network: switched([[null, Number.POSITIVE_INFINITY]]) },
      model: {
        ...problem.model,
        layers: 2 * stages,
        vocab: 0,
        heads: 8,
        kvHeads: stages,
        parallelBlocks: false,
      },
      memoryBudget: 1e15,
      assumptions: book,
    }
  })
  const both = (problem: GenerateProblem) => {
    const on = (mesh: Partial<Mesh>) =>
      evaluated(problem, { mesh: { ...unitMesh, ...mesh }, layout: { attention: '1d/heads', mlp: '1d' } })
    return { piped: on({ pipeline: stages }), sharded: on({ tensor: stages }) }
  }

  law('have as many groups in flight as there are stages, or sequences', 10, [evenly], (problem) => {
    const batch = Number(problem.workload.batchSequences)
    const { piped, sharded } = both(problem)
    expect(piped.microbatches).toBe(Math.min(stages, batch))
    expect(piped.microbatchTokens).toBe(Math.ceil(batch / piped.microbatches))
    expect([sharded.microbatches, sharded.microbatchTokens]).toEqual([1, batch])
  })

  law(
    'read the caches as fast and hold as much of them, and the weights four times as slowly',
    10,
    [evenly, fc.integer({ min: 1, max: 50 })],
    (problem, each) => {
      const { piped, sharded } = both(withBatch(problem, stages * each))
      expectAlike(piped.streaming.kvCacheSeconds, sharded.streaming.kvCacheSeconds)
      expectAlike(piped.memoryBytes.kvCache, sharded.memoryBytes.kvCache)
      expectAlike(piped.memoryBytes.parameters, sharded.memoryBytes.parameters)
      expectAlike(piped.streaming.weightsSeconds, stages * sharded.streaming.weightsSeconds)
      expectAlike(piped.streaming.arithmeticSeconds, sharded.streaming.arithmeticSeconds)
    },
  )
})
