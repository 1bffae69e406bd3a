import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import type { WeightCopies } from '../../../src/recipe/weight-copies.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const tokens = 8192

/** Parameters of Llama 3.1 8B that are in the matmuls of its layers. */
const parameters = 32 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336)

function weights(weightCopies: WeightCopies, compute: ElementType = 'fp8', zeroStage: ZeroStage = 1) {
  const asked = problem({
    ...{ model: 'llama-3.1-8b', chip: 'b200-sxm', chips: 8, batchTokens: 8 * tokens, sequenceLength: tokens },
    precision: { weights: 'bf16', compute, gradients: 'bf16', optimizer: 'fp32', kvCache: 'bf16' },
    assumptions: { basis: 'calibrated', weightCopies },
  })
  const mesh = zeroStage === 3 ? { ...unitMesh, fsdp: 8 } : { ...unitMesh, data: 8 }
  return legal(evaluate(asked, { mesh, zeroStage }, javascriptLpSolver)).plan.memoryBytes.parameters
}

describe('weights whose matmuls run in fewer bits', () => {
  const plain = weights('none')

  it.each([
    ['fp8', 1],
    ['nvfp4', 4.5 / 8],
  ] as const)('have two casts in %s, beside them or in their place', (compute, bytes) => {
    expect(weights('beside', compute) - plain).toBeCloseTo(2 * bytes * parameters, -3)
    expect(weights('instead', compute) - plain).toBeCloseTo((2 * bytes - 2) * parameters, -3)
  })

  it('keep their own type beside the casts where the optimizer is not sharded', () => {
    expect(weights('instead', 'fp8', 0)).toBe(weights('beside', 'fp8', 0))
  })

  it('are counted alone where they are gathered in every microbatch, or read as they are', () => {
    expect(weights('beside', 'fp8', 3)).toBe(weights('none', 'fp8', 3))
    expect(weights('beside', 'bf16')).toBe(plain)
  })
})
