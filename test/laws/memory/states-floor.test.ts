import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { optimize } from '../../../src/optimize.ts'
import { anythingFits, statesFloor } from '../../../src/search/fits.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'

const solver = javascriptLpSolver

describe('the floor under the states of a chip', () => {
  law(
    'is under every plan, however it shards',
    4,
    [
      fc.record({
        model: fc.constantFrom('llama-3-8b', 'mixtral-8x7b', 'llama-2-13b'),
        chips: fc.constantFrom(16, 32, 64),
        optimizer: fc.constantFrom('adamw', 'adam8bit', 'adafactor', 'muon'),
        assumptions: fc.constantFrom('book', 'calibrated'),
        chip: fc.constantFrom('h100-sxm', 'tpu-v5p'),
      }),
    ],
    (asked) => {
      const of = problem({ ...asked, batchTokens: 524_288, sequenceLength: 4096, top: 50 })
      const floor = statesFloor(costModel(of))
      for (const { memoryBytes } of optimize(of, solver).plans) {
        expect(floor).toBeLessThanOrEqual(memoryBytes.total)
      }
    },
  )

  it('rules out what is over the budget', () => {
    const asked = problem({
      model: 'llama-3.1-405b',
      chip: 'tpu-v5e',
      chips: 256,
      batchTokens: 1_048_576,
      sequenceLength: 4096,
    })
    expect(statesFloor(costModel(asked))).toBeGreaterThan(asked.memoryBudget)
    expect(anythingFits(asked)).toBe(false)
  })
})
