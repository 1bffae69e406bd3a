import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { constants } from '../../../src/calibration/constants.ts'
import { draws } from '../../../src/calibration/draws.ts'
import { reassumable, reassumed } from '../../../src/cost/reassumed.ts'
import { optimize } from '../../../src/optimize.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import { chosen } from '../../../src/plan/certainty/choice.ts'
import type { Problem } from '../../../src/problem.ts'
import { contextModels, modelFor } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { problem } from '../../problem.ts'

const shape = { layers: 16, dModel: 4096, dFf: 14_336, vocab: 32_000, gatedMlp: true, tiedEmbeddings: false }
const asked = problem({
  model: { ...shape, heads: 32, kvHeads: 8, headDim: 128 } as never,
  ...{ chip: 'h100-sxm', chips: 32, batchTokens: 262_144, sequenceLength: 4096, top: 4 },
})
const robust: Problem = { ...asked, objective: 'robust', distinct: 'mesh' }

describe('draws of constants', () => {
  const { assumptions } = asked
  const drawn = draws(400, assumptions)

  it('are the same every time, in range, and around what is assumed', () => {
    expect(draws(400, assumptions)).toEqual(drawn)
    for (const name of reassumable) {
      const values = drawn.map((draw) => draw[name] ?? Number.NaN).sort((a, b) => a - b)
      const [least, most] = constants[name].range
      expect(values[0]).toBeGreaterThanOrEqual(Math.min(least, assumptions[name]))
      expect(values.at(-1)).toBeLessThanOrEqual(Math.max(most, assumptions[name]))
      expect(values[100]).toBeLessThanOrEqual(assumptions[name])
      expect(values[300]).toBeGreaterThanOrEqual(assumptions[name])
    }
  })

  it('have links that err together, and rates that do not with them', () => {
    const correlation = (a: (typeof reassumable)[number], b: (typeof reassumable)[number]) => {
      const ranks = (name: typeof a) => {
        const values = drawn.map((draw) => Math.log(draw[name] ?? 1))
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        return values.map((value) => value - mean)
      }
      const [x, y] = [ranks(a), ranks(b)]
      const product = (u: readonly number[], v: readonly number[]) =>
        u.reduce((sum, value, at) => sum + value * (v[at] ?? 0), 0)
      return product(x, y) / Math.sqrt(product(x, x) * product(y, y))
    }
    expect(correlation('scaleUpEfficiency', 'scaleOutEfficiency')).toBeGreaterThan(0.3)
    expect(Math.abs(correlation('sustainedShare', 'scaleOutEfficiency'))).toBeLessThan(0.15)
  })
})

describe('the objective robust', () => {
  it('ranks the fastest plans by what each loses to the best of them, draw by draw', () => {
    const models = contextModels({ ...robust, top: 3 })
    const { candidates } = searchAll(models, 3)
    const modelOf = (candidate: (typeof candidates)[number]) => modelFor(models, candidate)
    const found = chosen(candidates, modelOf, () => false) ?? []
    expect(found.map(({ candidate }) => candidate.score).sort((a, b) => a - b)).toEqual(
      candidates.map(({ score }) => score),
    )
    const chances = found.reduce((sum, { choice }) => sum + choice.chanceBest, 0)
    expect(chances).toBeGreaterThanOrEqual(1 - 1e-9)
    const regrets = found.map(({ choice }) => choice.expectedRegret)
    expect([...regrets].sort((a, b) => a - b)).toEqual(regrets)
    // Some of it again, by hand.
    const all = draws(200, asked.assumptions)
    const times = found.map(({ candidate }) =>
      all.map((draw) => costing(reassumed(modelOf(candidate), draw), candidate).stepTime),
    )
    const [first = []] = times
    const losses = first.map((own, draw) => own / Math.min(...times.map((each) => each[draw] ?? own)) - 1)
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length
    expect(found[0]?.choice.expectedRegret).toBeCloseTo(mean, 9)
    expect(chosen(candidates, modelOf, () => true)).toBeNull()
  })

  it('answers plans with their choice, the fastest among those that were compared, and as many as are asked for', () => {
    const { plans, search } = optimize(robust, javascriptLpSolver)
    const fastest = optimize({ ...robust, objective: 'stepTime' }, javascriptLpSolver)
    expect(plans).toHaveLength(4)
    expect(plans.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
    const [first] = plans
    expect(first?.choice).toMatchObject({ draws: 200, among: 16 })
    for (const { choice } of plans) {
      expect(choice?.expectedRegret).toBeGreaterThanOrEqual(first?.choice?.expectedRegret ?? 1)
      expect(choice?.p90Regret).toBeGreaterThanOrEqual(0)
    }
    expect(first?.stepTimeSeconds).toBeGreaterThanOrEqual(fastest.plans[0]?.stepTimeSeconds ?? 0)
    expect(search.lowerBoundSeconds).toBe(fastest.search.lowerBoundSeconds)
    for (const { choice } of fastest.plans) expect(choice).toBeNull()
  })
})
