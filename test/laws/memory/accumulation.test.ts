/** What adding up gradients costs where the matmul that makes them does not. */

import fc from 'fast-check'
import { expect } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const sequences = 32

function seconds(chips: number, tensor: number, size: number, assumptions: Partial<Assumptions>): number {
  const asked = problem({
    model: 'llama-2-7b',
    chip: 'a100-80g-sxm',
    chips,
    batchTokens: sequences * 2048,
    sequenceLength: 2048,
    memoryBudget: 1e12,
    assumptions: { basis: 'calibrated', stack: 'none', ...assumptions },
  })
  const sketch = {
    mesh: { ...unitMesh, data: chips / tensor, tensor },
    zeroStage: 0 as const,
    microbatchTokens: size * 2048,
    rematerialization: 'none',
  }
  return legal(evaluate(asked, sketch, javascriptLpSolver)).plan.stepTimeSeconds
}

law(
  'is what kernels of their own stream, in every microbatch, however long it is, and nothing without a buffer',
  4,
  [fc.constantFrom(1, 2, 4), fc.constantFrom(1, 2)],
  (tensor, size) => {
    const apart = (own: number, more: Partial<Assumptions> = {}) =>
      seconds(tensor, tensor, own, { ...more, fusedAccumulation: false }) - seconds(tensor, tensor, own, more)
    const [short, long] = [apart(size), apart(2 * size)]
    // Half as many microbatches. Matmuls of one sequence may have hidden a little of it behind their arithmetic before.
    expect(short).toBeGreaterThan(0)
    expect(short / long).toBeCloseTo(2, 1)
    // 6.7e9 gradients in bf16, read and written, and what the matmul wrote, read, at 2.04 TB/s and less.
    const streamed = ((6.7e9 / tensor) * (2 + 2 * 2)) / 2.04e12
    const each = long / (sequences / (2 * size))
    expect(each).toBeGreaterThan(0.9 * streamed)
    expect(each).toBeLessThan(1.5 * streamed)
    expect(apart(size, { gradientBuffer: false })).toBe(0)
  },
)
