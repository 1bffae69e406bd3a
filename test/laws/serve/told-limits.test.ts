/** A deployment is refused by its own numbers: one of them is over a limit of the request. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { evaluateServe } from '../../../src/evaluate-serve.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { smallDense } from '../../small-model.ts'

const questions = fc.record({
  tensor: fc.constantFrom(1, 2, 4),
  promptLength: fc.constantFrom(500, 3000),
  outputLength: fc.constantFrom(50, 500),
  /** Over the most that is planned for within the limits. */
  more: fc.constantFrom(0.8, 0.9, 1.05, 1.15, 1.3, 1.4, 1.6),
  maxTimePerOutputTokenSeconds: fc.constantFrom(0.003, 0.004, 0.005, 0.006),
  maxTimeToFirstTokenSeconds: fc.constantFrom(undefined, 0.1),
})

it('A deployment whose numbers keep to every limit is feasible, and what is told of one that is not says which it misses', () => {
  const seen = { feasible: 0, planned: 0, late: 0 }
  forAll(45, [questions], ({ tensor, more, maxTimeToFirstTokenSeconds: first, ...asked }) => {
    const limits = first === undefined ? {} : { maxTimeToFirstTokenSeconds: first }
    const workload: ServeWorkload = {
      ...{ mode: 'serve', cachedPrefixLength: 0, disaggregated: false, ...asked, ...limits },
    }
    const evaluated = (problem: ServeProblem) => {
      const generate = { mesh: { ...unitMesh, tensor }, instances: 4 / tensor }
      return legal(evaluateServe(problem, { disaggregated: false, generate }, solver)).plan
    }
    const free: ServeProblem = inferenceProblem({
      ...{ model: smallDense, chip: 'h100-sxm', chips: 4, memoryFraction: 0.5, workload },
    })
    const most = evaluated(free)
    if (!most.feasible) return
    const requestsPerSecond = more * most.requestsPerSecond
    const plan = evaluated({ ...free, workload: { ...workload, requestsPerSecond } })
    const { requestsPerSecond: rate, timePerOutputTokenSeconds: token, timeToFirstTokenSeconds: start } = plan
    const isShort = rate < requestsPerSecond * (1 - 1e-9)
    const isLate =
      token > asked.maxTimePerOutputTokenSeconds * (1 + 1e-9) ||
      start > (first ?? Number.POSITIVE_INFINITY) * (1 + 1e-9)
    expect(plan.feasible).toBe(!(isShort || isLate))
    if (isShort && !isLate) expect(Math.abs(rate / most.requestsPerSecond - 1)).toBeLessThan(1e-3)
    seen[plan.feasible ? 'feasible' : isLate ? 'late' : 'planned']++
    const [size = ''] = plan.explanation
    if (isShort) expect(size).not.toMatch(/^Takes/)
  })
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(2)
})

it('A rate beyond all that it sustains is told with what it sustains within the limits, as one a little beyond that is', () => {
  const workload: ServeWorkload = {
    ...{ mode: 'serve', cachedPrefixLength: 0, disaggregated: false, promptLength: 500, outputLength: 500 },
    maxTimePerOutputTokenSeconds: 0.006,
  }
  const free: ServeProblem = inferenceProblem({
    ...{ model: smallDense, chip: 'h100-sxm', chips: 4, memoryFraction: 0.5, workload },
  })
  const evaluated = (problem: ServeProblem) =>
    legal(
      evaluateServe(problem, { disaggregated: false, generate: { mesh: unitMesh, instances: 4 } }, solver),
    ).plan
  const most = evaluated(free).requestsPerSecond
  for (const more of [1.1, 1.3, 3]) {
    const plan = evaluated({ ...free, workload: { ...workload, requestsPerSecond: more * most } })
    expect(plan.infeasible?.map(({ reason }) => reason)).toEqual(['rate'])
    expect(Math.abs(plan.requestsPerSecond / most - 1)).toBeLessThan(1e-3)
  }
})
