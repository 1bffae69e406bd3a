/** Deployments: what must always hold, and how they change with rates, limits and pools. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { ServeAnswer, ServePlan } from '../../../src/plan/inference-plan.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { axes } from '../../../src/sharding/axis.ts'
import { type InferenceOptions, inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'

type Options = Omit<InferenceOptions<ServeWorkload>, 'model'>

const pools: fc.Arbitrary<Pick<Options, 'chip' | 'chips' | 'topology'>> = fc.constantFrom(
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 16 },
  { chip: 'tpu-v5e', topology: [4, 4] },
)

const requests: fc.Arbitrary<ServeWorkload> = fc
  .record({
    promptLength: fc.constantFrom(300, 1024, 4096),
    outputLength: fc.constantFrom(1, 60, 400),
    cachedPrefixLength: fc.constantFrom(0, 128),
    disaggregated: fc.constantFrom(true, false, 'auto' as const),
    rate: fc.constantFrom(null, 0.5, 5, 20, 60),
    first: fc.constantFrom(null, 0.1, 0.5, 2),
    perToken: fc.constantFrom(null, 0.01, 0.03, 0.1),
  })
  .map(({ rate, first, perToken, ...workload }) => ({
    mode: 'serve',
    ...workload,
    ...(rate === null ? {} : { requestsPerSecond: rate }),
    ...(first === null ? {} : { maxTimeToFirstTokenSeconds: first }),
    ...(perToken === null ? {} : { maxTimePerOutputTokenSeconds: perToken }),
  }))

const questions = fc
  .record({ pool: pools, workload: requests, basis: fc.constantFrom('book' as const, 'calibrated' as const) })
  .map(({ pool, workload, basis }) => problemOf({ ...pool, workload, assumptions: basis, top: 3 }))

const rated = questions.filter(({ workload }) => workload.requestsPerSecond !== undefined)

function problemOf(options: Options): ServeProblem {
  return inferenceProblem({ model: 'llama-3.1-8b', ...options })
}

function answer(problem: ServeProblem, changed: Partial<ServeWorkload> = {}): ServeAnswer {
  return serve({ ...problem, workload: { ...problem.workload, ...changed } }, solver)
}

/** Chips at a rate, minus the rate of the pool without one; Infinity where nothing meets the objectives. */
function score({ plans: [best] }: ServeAnswer, workload: ServeWorkload): number {
  return best ? scoreOf(best, workload) : Number.POSITIVE_INFINITY
}

function scoreOf({ queueing, chips }: ServePlan, { requestsPerSecond }: ServeWorkload): number {
  return requestsPerSecond === undefined ? -queueing.arrivalsPerSecond : chips
}

/** A rate that a first token's wait sets is found within a part in 10^4. */
const found = 1 + 1e-3

/** But for rounding. */
const alike = 1 + 1e-9

function expectNoWorse(score: number, other: number, within = found): void {
  if (other > 0) expect(score).toBeLessThanOrEqual(other)
  else expect(score).toBeLessThanOrEqual(other / within)
}

describe('a deployment', () => {
  law(
    'meets its objectives, is no busier than planned, and no faster than its floors',
    6,
    [questions],
    (problem) => {
      const { workload, memoryBudget, cluster } = problem
      for (const plan of answer(problem).plans) {
        const { prefill, generate, timeToFirstTokenSeconds, timePerOutputTokenSeconds } = plan
        const { maxTimeToFirstTokenSeconds: first, maxTimePerOutputTokenSeconds: perToken } = workload
        if (first !== undefined) expect(timeToFirstTokenSeconds).toBeLessThanOrEqual(first)
        if (perToken !== undefined) {
          expect(timePerOutputTokenSeconds).toBeLessThanOrEqual(perToken * (1 + 1e-9))
        }
        expect(timeToFirstTokenSeconds).toBeGreaterThanOrEqual(prefill.stepTimeSeconds * (1 - 1e-9))
        expect(timePerOutputTokenSeconds).toBeGreaterThanOrEqual(generate.stepTimeSeconds * (1 - 1e-9))
        for (const phase of [prefill, generate]) {
          expect(phase.feasible).toBe(true)
          expect(phase.stepTimeSeconds).toBeGreaterThanOrEqual(phase.floorSeconds * (1 - 1e-9))
          expect(phase.utilization).toBeLessThanOrEqual(0.8 + 1e-9)
          expect(phase.instances * phase.chipsPerInstance).toBe(phase.chips)
        }
        expect(plan.requestsPerSecond).toBeGreaterThanOrEqual(workload.requestsPerSecond ?? 0)
        expect(plan.chips).toBeLessThanOrEqual(cluster.chips)
        expect(plan.chips).toBe(plan.disaggregated ? prefill.chips + generate.chips : generate.chips)
        const copy = plan.secondLayout?.copyBytesPerChip ?? 0
        expect(generate.memoryBytes.total + copy).toBeLessThanOrEqual(memoryBudget * (1 + 1e-9))
      }
    },
  )

  law('holds as many sequences as arrive while one is generated', 6, [rated], (problem) => {
    const { requestsPerSecond = 0, outputLength } = problem.workload
    for (const plan of answer(problem).plans) {
      const { batchSequences, instances } = plan.generate
      const arriving = (requestsPerSecond / instances) * outputLength * plan.timePerOutputTokenSeconds
      expect(batchSequences).toBeGreaterThanOrEqual(arriving * (1 - 1e-9))
    }
  })

  law('comes after those that are better', 6, [questions], (problem) => {
    const { plans } = answer(problem)
    const scores = plans.map((plan) => scoreOf(plan, problem.workload))
    scores.slice(1).forEach((next, index) => {
      expectNoWorse(scores[index] ?? 0, next, alike)
    })
    expect(plans.map(({ rank }) => rank)).toEqual(plans.map((_, index) => index + 1))
  })

  law('is the same each time', 3, [questions], (problem) => {
    expect(answer(problem)).toEqual(answer(problem))
  })
})

describe('the best deployment', () => {
  law(
    'never needs fewer chips for a higher rate',
    6,
    [rated, fc.constantFrom(1.1, 2, 5)],
    (problem, times) => {
      const { requestsPerSecond = 0 } = problem.workload
      const more = { requestsPerSecond: requestsPerSecond * times }
      const higher = score(answer(problem, more), problem.workload)
      expectNoWorse(score(answer(problem), problem.workload), higher)
    },
  )

  law(
    'is never worse for a looser objective',
    6,
    [questions, fc.constantFrom(1.1, 3, 1000)],
    (problem, times) => {
      const { maxTimeToFirstTokenSeconds: first, maxTimePerOutputTokenSeconds: perToken } = problem.workload
      const asked = score(answer(problem), problem.workload)
      if (first !== undefined) {
        const later = answer(problem, { maxTimeToFirstTokenSeconds: first * times })
        expectNoWorse(score(later, problem.workload), asked)
      }
      if (perToken !== undefined) {
        const slower = answer(problem, { maxTimePerOutputTokenSeconds: perToken * times })
        expectNoWorse(score(slower, problem.workload), asked)
      }
    },
  )

  law(
    'is the better of those that share chips and those that do not, where both may be',
    6,
    [questions],
    (problem) => {
      const { workload } = problem
      const [either, shared, apart] = (['auto', false, true] as const).map((disaggregated) =>
        score(answer(problem, { disaggregated }), workload),
      )
      expect(either).toBe(Math.min(shared ?? 0, apart ?? 0))
    },
  )

  it('is never worse in twice the pool', () => {
    const grown = fc
      .record({ chips: fc.constantFrom(1, 2, 3, 6, 8, 12), workload: requests })
      .map(({ chips, workload }) => ({ chips, workload, chip: 'h100-sxm', top: 1 }))
    forAll(6, [grown], ({ chips, ...options }) => {
      const [once, twice] = [chips, 2 * chips].map((count) =>
        score(serve(problemOf({ ...options, chips: count }), solver), options.workload),
      )
      expectNoWorse(twice ?? 0, once ?? 0)
    })
  })
})

describe('where nothing meets the objectives', () => {
  const workload: ServeWorkload = {
    mode: 'serve',
    promptLength: 4096,
    outputLength: 400,
    disaggregated: 'auto',
    cachedPrefixLength: 0,
    requestsPerSecond: 5,
    maxTimeToFirstTokenSeconds: 1,
    maxTimePerOutputTokenSeconds: 0.05,
  }
  const hard = problemOf({ chip: 'h100-sxm', chips: 4, workload })

  it('every change that is suggested is enough', () => {
    const cases = [
      { requestsPerSecond: 1000 },
      { maxTimeToFirstTokenSeconds: 0.01 },
      { maxTimePerOutputTokenSeconds: 0.001 },
      { maxTimePerOutputTokenSeconds: 0.004, requestsPerSecond: 200 },
      { requestsPerSecond: 1e9 },
      { maxTimeToFirstTokenSeconds: 0.01, maxTimePerOutputTokenSeconds: 0.001 },
      { maxTimeToFirstTokenSeconds: 0.01, maxTimePerOutputTokenSeconds: 0.001, requestsPerSecond: 1e6 },
    ]
    for (const changed of cases) {
      const asked = answer(hard, changed)
      expect(asked.plans).toEqual([])
      const suggestions = (asked.infeasible?.suggestions ?? []).filter(({ pointer }) =>
        pointer.startsWith('/workload/'),
      )
      expect(suggestions).not.toEqual([])
      for (const { pointer, value, also = [] } of suggestions) {
        const all = [{ pointer, value }, ...also].map((one) => [
          one.pointer.slice('/workload/'.length),
          one.value,
        ])
        expect(answer(hard, { ...changed, ...Object.fromEntries(all) }).plans.length).toBeGreaterThan(0)
      }
    }
  })

  it('says which term alone exceeds the objective for a token', () => {
    const { infeasible } = answer(hard, { maxTimePerOutputTokenSeconds: 0.0005 })
    expect(infeasible?.reasons.map(({ reason }) => reason)).toEqual(['latency'])
    expect(infeasible?.reasons[0]?.detail).toMatch(/^reading .* of weights once .* alone over the limit/)
  })

  it('says that a prompt alone takes longer than its objective', () => {
    const { infeasible } = answer(hard, { maxTimeToFirstTokenSeconds: 0.01 })
    expect(infeasible?.reasons[0]?.detail).toMatch(/^the fastest prefill of a prompt takes .* alone over/)
    expect(infeasible?.nearest?.shortSeconds).toBeGreaterThan(0)
  })

  it('says what rate the pool sustains, within a hundredth', () => {
    for (const requestsPerSecond of [1000, 1e9]) {
      const { infeasible } = answer(hard, { requestsPerSecond })
      const rate = infeasible?.suggestions.find(({ pointer }) => pointer.endsWith('requestsPerSecond'))?.value
      expect(infeasible?.reasons.map(({ reason }) => reason)).toEqual(['rate'])
      expect(infeasible?.reasons[0]?.detail).toContain(`about ${rate}`)
      const { plan, shortSeconds, shortRequestsPerSecond } = infeasible?.nearest ?? {}
      expect(shortSeconds).toBe(0)
      expect(shortRequestsPerSecond).toBeCloseTo(requestsPerSecond - (plan?.requestsPerSecond ?? 0), 6)
      expect(shortRequestsPerSecond).toBeGreaterThan(0)
      expect(answer(hard, { requestsPerSecond: Number(rate) * 1.03 }).plans).toEqual([])
    }
  })

  it('says what is short of memory, and how many chips would do', () => {
    const big = (chips: number) =>
      serve(inferenceProblem({ model: 'llama-3-70b', chip: 'h100-sxm', chips, workload }), solver)
    const { infeasible } = big(1)
    expect(infeasible?.reasons.map(({ reason }) => reason)).toContain('memory')
    const chips = infeasible?.suggestions.find(({ pointer }) => pointer === '/hardware/chips')?.value
    expect(big(Number(chips)).plans.length).toBeGreaterThan(0)
  })
})

describe('the generation of a deployment', () => {
  it.each([
    ['h100-sxm', { chips: 16 }],
    ['tpu-v6e', { topology: [4, 4] }],
  ] as const)('takes as long as it does when it is asked for alone, on %s', (chip, size) => {
    const workload: ServeWorkload = {
      ...{ mode: 'serve', promptLength: 1024, outputLength: 200 },
      ...{ cachedPrefixLength: 0, disaggregated: true },
    }
    const pool = inferenceProblem({ model: 'llama-3-70b', chip, ...size, workload, top: 1 })
    const [best] = answer(pool).plans
    const generation = best?.generate
    if (!generation) throw new Error('something is deployed')
    expect(generation.mesh.tensor * generation.mesh.tensor2).toBeGreaterThan(1)
    const chips = axes.reduce((product, axis) => product * generation.mesh[axis], 1)
    const batchSequences = generation.batchSequences ?? 1
    const alone = inferenceProblem({
      ...{ model: 'llama-3-70b', chip, chips },
      workload: { mode: 'generate', batchSequences, contextLength: 1224, meanContextLength: 1124 },
    })
    const found = legal(
      evaluateInference(alone, { mesh: generation.mesh, layout: generation.layout.components }, solver),
    )
    expect(found.plan.stepTimeSeconds / generation.stepTimeSeconds).toBeCloseTo(1, 6)
  })

  law(
    'has the best of the other kind beside it, which is not better and is first where that kind is asked for',
    10,
    [rated],
    (problem) => {
      const { plans, alternative } = answer(problem, { disaggregated: 'auto' })
      const [first] = plans
      if (!first || !alternative) return
      expect(alternative.disaggregated).toBe(!first.disaggregated)
      expect(scoreOf(alternative, problem.workload)).toBeGreaterThanOrEqual(scoreOf(first, problem.workload))
      const alone = answer(problem, { disaggregated: alternative.disaggregated })
      expect(alone.plans[0]?.id).toBe(alternative.id)
      expect(alone.alternative).toBeNull()
    },
  )
})
