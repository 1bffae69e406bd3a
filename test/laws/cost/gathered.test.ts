/** What FSDP gathers and scatters in every microbatch hides less than what moves once a step. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

function seconds(
  zeroStage: ZeroStage,
  size: number,
  overlapGathered: number,
  expertOverlapGathered = 1,
  model = 'llama-3-8b',
): number {
  const asked = problem({
    model,
    chip: 'h100-sxm',
    chips: 64,
    batchTokens: 64 * 8 * 4096,
    sequenceLength: 4096,
    memoryBudget: 1e12,
    assumptions: { basis: 'calibrated', overlapGathered, expertOverlapGathered },
  })
  const mesh = { ...unitMesh, ...(zeroStage === 3 ? { fsdp: 64 } : { data: 64 }) }
  const sketch = { mesh, zeroStage, microbatchTokens: size * 4096, rematerialization: 'none' }
  return legal(evaluate(asked, sketch, javascriptLpSolver)).plan.stepTimeSeconds
}

it('a step under ZeRO-3 or 2 takes no longer as more of it hides, up to what is prefetched, and one under ZeRO-1 knows nothing of it', () => {
  const share = fc.double({ min: 0, max: 0.9, noNaN: true })
  forAll(5, [share, share, fc.constantFrom(1, 2, 4)], (a, b, size) => {
    const [less, more] = [Math.min(a, b), Math.max(a, b)]
    for (const stage of [2, 3] as const) {
      expect(seconds(stage, size, more)).toBeLessThanOrEqual(seconds(stage, size, less) * (1 + 1e-12))
      expect(seconds(stage, size, 0.2)).toBeGreaterThan(seconds(stage, size, 0.9))
      expect(seconds(stage, size, 1)).toBe(seconds(stage, size, 0.9))
    }
    expect(seconds(1, size, more)).toBe(seconds(1, size, less))
  })
})

it('is held to less in models with experts, and in no others', () => {
  const share = fc.double({ min: 0, max: 0.9, noNaN: true })
  forAll(3, [share, share], (a, b) => {
    expect(seconds(3, 1, a, b)).toBe(seconds(3, 1, a))
    expect(seconds(3, 1, a, b, 'mixtral-8x7b')).toBe(seconds(3, 1, Math.min(a, b), 1, 'mixtral-8x7b'))
  })
})
