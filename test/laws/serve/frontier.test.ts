/** The frontier of latency and cost. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frontier } from '../../../src/modes/generate/frontier.ts'
import { inferenceWarnings } from '../../../src/plan/inference/warnings.ts'
import type { Objective } from '../../../src/problem.ts'
import { generation, inferenceProblem } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'

interface Plan {
  readonly latency: number
  readonly cost: number
  readonly name: string
}

const trade = {
  latency: ({ latency }: Plan) => latency,
  cost: ({ cost }: Plan) => cost,
  compare: (a: Plan, b: Plan) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
}

const whole = fc.integer({ min: 0, max: 8 })

const plans = fc
  .array(fc.record({ latency: whole, cost: whole }), { maxLength: 30 })
  .map((points) => points.map((point, i): Plan => ({ ...point, name: `plan ${String(i).padStart(2, '0')}` })))

const noWorse = (a: Plan, b: Plan) => a.latency <= b.latency && a.cost <= b.cost

describe('the frontier', () => {
  law('has no point that is as good as another of it in both', 100, [plans], (points) => {
    const kept = frontier(points, trade)
    for (const a of kept) expect(kept.filter((b) => noWorse(a, b))).toEqual([a])
  })

  law('has for every point that it drops one that is as good in both', 100, [plans], (points) => {
    const kept = frontier(points, trade)
    for (const point of points) expect(kept.some((own) => noWorse(own, point))).toBe(true)
    for (const own of kept) expect(points).toContain(own)
  })

  law('is its own frontier', 100, [plans], (points) => {
    const kept = frontier(points, trade)
    expect(frontier(kept, trade)).toEqual(kept)
  })

  it('is the same in whatever order the points come, which it leaves as they are', () => {
    const shuffled = plans.chain((points) =>
      fc.tuple(fc.constant(points), fc.shuffledSubarray(points, { minLength: points.length })),
    )
    forAll(100, [shuffled], ([points, other]) => {
      const before = [...other]
      expect(frontier(other, trade)).toEqual(frontier(points, trade))
      expect(other).toEqual(before)
    })
  })

  law('gets slower and cheaper from point to point', 100, [plans], (points) => {
    const kept = frontier(points, trade)
    for (const [i, { latency, cost }] of kept.entries()) {
      const next = kept[i + 1]
      if (!next) continue
      expect(next.latency).toBeGreaterThan(latency)
      expect(next.cost).toBeLessThan(cost)
    }
  })

  it('has no point without an end, and of equals the first by name', () => {
    const points = [
      { latency: 1, cost: Number.POSITIVE_INFINITY, name: 'a' },
      { latency: Number.NaN, cost: 0, name: 'b' },
      { latency: 2, cost: 3, name: 'd' },
      { latency: 2, cost: 3, name: 'c' },
    ]
    expect(frontier(points, trade).map(({ name }) => name)).toEqual(['c'])
    expect(frontier([], trade)).toEqual([])
  })
})

describe('the latency of the most sequences that fit', () => {
  it.each<[Objective, number | 'max', object, boolean]>([
    ['latency', 'max', {}, true],
    ['latency', 'max', { maxStepSeconds: 0.02 }, false],
    ['latency', 8, {}, false],
    ['throughputPerChip', 'max', {}, false],
  ])('is told to be no least one: %s of %s sequences, %j', (objective, batchSequences, more, told) => {
    const workload = generation(batchSequences, 2048, more)
    const asked = inferenceProblem({ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, objective, workload })
    expect(inferenceWarnings(asked, null).some((warning) => warning.includes('pareto'))).toBe(told)
  })
})
