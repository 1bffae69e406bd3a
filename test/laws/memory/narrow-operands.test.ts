import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { operandsOf } from '../../../src/cost/memory/recomputation.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import type { PolicyName } from '../../../src/recipe/policies.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { layerParts } from '../../../src/sharding/tables/training-layout.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const tokens = 8192

/** One sequence on each of eight chips, so that what a chip keeps is that of its own tokens. */
function planOf(
  compute: ElementType,
  changes: Partial<Assumptions> = {},
  rematerialization: PolicyName = 'none',
  model = 'llama-3.1-8b',
): Plan {
  const asked = problem({
    ...{ model, chip: 'b200-sxm', chips: 8, batchTokens: 8 * tokens, sequenceLength: tokens },
    precision: { weights: 'bf16', compute, gradients: 'bf16', optimizer: 'fp32', kvCache: 'bf16' },
    assumptions: { basis: 'calibrated', ...changes },
  })
  const sketch = { mesh: { ...unitMesh, fsdp: 8 }, zeroStage: 3, rematerialization } as const
  return legal(evaluate(asked, sketch, javascriptLpSolver)).plan
}

const activations = (plan: Plan) => plan.memoryBytes.activations

describe('what a matmul in fewer bits reads', () => {
  const kept = activations(planOf('bf16'))

  it.each([
    ['fp8', 1],
    ['nvfp4', 4.5 / 8],
  ] as const)('is kept in %s: inputs of attention and MLP, and what the activation function makes', (compute, bytes) => {
    const [dModel, dFf, layers] = [4096, 14_336, 32]
    const less = layers * tokens * (2 * dModel + dFf) * (2 - bytes)
    expect((kept - activations(planOf(compute))) / less).toBeCloseTo(1, 9)
  })

  it('is kept as other activations are where software keeps it so, or where no matmul is narrower', () => {
    expect(activations(planOf('fp8', { narrowOperands: false }))).toBe(kept)
    expect(activations(planOf('bf16', { narrowOperands: false }))).toBe(kept)
  })

  it('is not kept where it is made again', () => {
    expect(activations(planOf('fp8', {}, 'full'))).toBe(activations(planOf('bf16', {}, 'full')))
  })

  it('changes no time', () => {
    const times = [true, false].map((narrowOperands) => planOf('fp8', { narrowOperands }).stepTimeSeconds)
    expect(times[0]).toBe(times[1])
  })

  it('is read by nothing else: results of attention, low ranks and what routers read are kept as they are', () => {
    const names = (model: string) => {
      const asked = problem({
        model,
        chip: 'h100-sxm',
        chips: 8,
        batchTokens: tokens,
        sequenceLength: tokens,
      })
      const parts = layerParts(asked.model, 'sequence')
      return Object.fromEntries(parts.map(({ component }) => [component.name, operandsOf(component)]))
    }
    expect(names('llama-3.1-8b')).toEqual({ attention: ['In'], mlp: ['In', 'Tmp'] })
    expect(names('deepseek-v3')).toEqual({
      attention: ['In'],
      mlp: ['In', 'Tmp'],
      experts: expect.arrayContaining(['Dispatched', 'Tmp', 'SharedTmp']),
    })
    expect(names('deepseek-v3').experts).not.toContain('In')
    expect(names('palm-62b')).toEqual({ block: ['In', 'Tmp'] })
  })
})
