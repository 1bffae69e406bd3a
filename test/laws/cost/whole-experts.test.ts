import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { type ExpertTensor, heldAs } from '../../../src/cost/communication/expert-tensor.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const asked = { model: 'qwen3-30b-a3b', chip: 'h100-sxm', batchTokens: 64 * 4096, sequenceLength: 4096 }

interface Held {
  readonly tensor: number
  readonly expert: number
  readonly data: number
}

function planOf({ tensor, expert, data }: Held, expertTensor: ExpertTensor): Plan {
  const plain = problem({ ...asked, chips: tensor * expert * data })
  const own = { ...plain, assumptions: { ...plain.assumptions, expertTensor } }
  const sketch = { mesh: { ...unitMesh, tensor, expert, data }, zeroStage: 1, microbatches: 2 } as const
  const answer = evaluate(own, { ...sketch, rematerialization: 'none' }, javascriptLpSolver)
  if (!('plan' in answer)) throw new Error('illegal')
  return answer.plan
}

const meshes = fc.record({
  tensor: fc.constantFrom(1, 2, 4),
  expert: fc.constantFrom(1, 2, 8),
  data: fc.constantFrom(1, 2),
})
const moved = ({ collectives }: Plan, op: string, over: string) =>
  collectives.filter((line) => line.op === op && line.over === over)
const copies = /Routed|Dispatched|Made|Combined/

describe('tensor ranks with whole experts', () => {
  law(
    'gather no copies of tokens, and send as many over both axes as they sent over one',
    12,
    [meshes],
    (mesh) => {
      const [sliced, whole] = [planOf(mesh, 'sliced'), planOf(mesh, 'whole')]
      if (mesh.tensor === 1) {
        expect(whole.stepTimeSeconds).toBe(sliced.stepTimeSeconds)
        return
      }
      const over = mesh.expert > 1 ? 'tensor x expert' : 'tensor'
      const gathered = (plan: Plan) =>
        plan.collectives.filter(
          ({ op, over: by, array }) => op !== 'AllToAll' && by === 'tensor' && copies.test(array),
        )
      expect(gathered(sliced).length).toBeGreaterThan(0)
      expect(gathered(whole)).toEqual([])
      expect(moved(whole, 'AllToAll', over).length).toBeGreaterThan(0)
      expect(moved(sliced, 'AllToAll', over)).toEqual([])
      // What a chip computes and keeps of its weights is the same.
      expect(whole.memoryBytes.parameters).toBe(sliced.memoryBytes.parameters)
      expect(whole.timeSeconds.compute).toBeLessThanOrEqual(sliced.timeSeconds.compute * (1 + 1e-12))
      expect(whole.stepTimeSeconds).toBeLessThan(sliced.stepTimeSeconds)
    },
  )

  it('are where they divide the experts, and only where asked for', () => {
    const size = fc.integer({ min: 1, max: 16 })
    forAll(100, [size, size, fc.integer({ min: 1, max: 256 })], (tensor, expert, experts) => {
      const mesh = { tensor, expert, tensor2: 1 }
      expect(heldAs(mesh, experts, 'sliced')).toBe('sliced')
      const divide = tensor > 1 && experts % (tensor * expert) === 0
      expect(heldAs(mesh, experts, 'whole')).toBe(divide ? 'whole' : 'sliced')
    })
  })
})
