/** User buffers of --tp-comm-overlap are in memory where ranks of tensor parallelism hold them, and nowhere else. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver as solver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { legal } from '../../legal.ts'
import { bf16, type ProblemOptions, problem } from '../../problem.ts'

const million = 1_048_576

const long: ProblemOptions = {
  model: 'llama-3.1-8b',
  chip: 'h100-sxm',
  chips: 256,
  batchTokens: 8 * million,
  sequenceLength: million,
}

const joined: Partial<Mesh> = { data: 8, tensor: 8, context: 4 }

function planOf(
  assumptions: Partial<Assumptions>,
  asked: Partial<ProblemOptions>,
  mesh: Partial<Mesh>,
  sketch: Partial<PlanSketch>,
): Plan {
  const question = problem({ ...long, ...asked, assumptions: { basis: 'calibrated', ...assumptions } })
  return legal(evaluate(question, { mesh: { ...unitMesh, ...mesh }, zeroStage: 1, ...sketch }, solver)).plan
}

/** A microbatch's residual stream, whole over tensor. */
const elements = (million / 4) * 4096

/** The operand of a projection and its gradient, beyond a rank's own shards: they lie in the buffers. */
const gathered = 4 * elements * (1 - 1 / 8)

describe('user buffers', () => {
  it('are twelve of the residual stream in bf16, of which eight take a byte in fp8', () => {
    const added = (asked: Partial<ProblemOptions>) => {
      const [without = 0, beside = 0] = [false, true].map((userBuffers) => {
        const sketch = { rematerialization: 'full' }
        return planOf({ userBuffers, lossChunks: 64 }, asked, joined, sketch).memoryBytes.workspace
      })
      return beside - without
    }
    expect(added({})).toBeCloseTo(24 * elements - gathered, -3)
    expect(added({ precision: { ...bf16, compute: 'fp8' } })).toBeCloseTo(16 * elements - gathered, -3)
  })

  it.each<[string, Partial<ProblemOptions>, Partial<Mesh>, Partial<PlanSketch>]>([
    ['without tensor parallelism', {}, { data: 8, context: 32 }, {}],
    ['over nodes', {}, { data: 4, tensor: 16, context: 4 }, {}],
    ['beside Megatron-FSDP', {}, joined, { zeroStage: 2 }],
    ['with latent attention', { model: 'deepseek-v2-lite' }, joined, {}],
    ['on A100', { chip: 'a100-80g-sxm' }, joined, {}],
  ])('are none %s', (_, asked, mesh, sketch) => {
    const [without, beside] = [false, true].map((userBuffers) => planOf({ userBuffers }, asked, mesh, sketch))
    expect(beside?.memoryBytes).toEqual(without?.memoryBytes)
  })

  it('are in every plan whose command asks for them, and in no other', () => {
    const question = problem({
      ...long,
      assumptions: {
        basis: 'calibrated',
        overlapCriticalPath: 0.8,
        userBuffers: true,
        frameworks: ['megatron'],
      },
      top: 40,
    })
    const plain = { ...question, assumptions: { ...question.assumptions, userBuffers: false } }
    const { plans } = optimize(question, solver)
    const asking = plans.filter((plan) => JSON.stringify(plan.launch.megatron).includes('--tp-comm-overlap'))
    expect(asking.length).toBeGreaterThan(0)
    expect(asking.length).toBeLessThan(plans.length)
    for (const plan of plans) {
      const sketch: PlanSketch = { ...plan, mesh: { ...unitMesh, ...plan.mesh } } as unknown as PlanSketch
      const same = legal(evaluate(plain, sketch, solver)).plan
      expect(plan.memoryBytes.workspace > same.memoryBytes.workspace).toBe(asking.includes(plan))
      expect(plan.feasible).toBe(true)
    }
  })
})
