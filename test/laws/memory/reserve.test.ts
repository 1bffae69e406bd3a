/** What of a memory budget stays free. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { budgetFor, reserveBytes } from '../../../src/cost/memory/budget.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'

const base = problem({
  ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, batchTokens: 4096, sequenceLength: 4096 },
})
/** A chip of a thousand bytes, of which a twentieth stays free. */
const setting = (memoryBudget: number) => ({
  cluster: { ...base.cluster, chip: { ...base.cluster.chip, hbmBytes: 1000 } },
  assumptions: { ...base.assumptions, reserveFraction: 0.05 },
  memoryBudget,
})

describe('the reserve', () => {
  it.each([
    [1000, 50],
    [980, 30],
    [950, 0],
    [900, 0],
    // More than the chip has, as if it had more.
    [1100, 50],
  ])('of a budget of %i bytes is %i', (budget, reserve) => {
    expect(reserveBytes(setting(budget))).toBeCloseTo(reserve, 9)
  })

  law('is added to bytes to get their budget', 100, [fc.integer({ min: 0, max: 2000 })], (bytes) => {
    const budget = budgetFor(bytes, setting(0))
    expect(budget - reserveBytes(setting(budget))).toBeCloseTo(bytes, 9)
  })
})
