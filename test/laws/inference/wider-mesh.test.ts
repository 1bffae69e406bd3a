/** A written plan of inference that does not fit is told the smallest change of its mesh that does, on the chips that there are. */
import { describe, expect, it } from 'vitest'
import { evaluateInferenceRemedied } from '../../../src/remedied/inference.ts'
import { type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'

const problem = inferenceProblem({
  model: 'llama-3.3-70b',
  chip: 'h100-sxm',
  chips: 8,
  workload: generation(16, 8192),
})

function answered(mesh: Partial<Mesh>) {
  const answer = evaluateInferenceRemedied(problem, { mesh: { ...unitMesh, ...mesh }, layout: {} }, solver)
  if (!('plan' in answer)) throw new Error('The plan is legal')
  const suggestions = 'suggestions' in answer ? answer.suggestions : []
  return { plan: answer.plan, wider: suggestions.find(({ change }) => change === 'another mesh') }
}

describe('a plan that does not fit', () => {
  it('of one chip of eight takes those that stand idle, as few as do', () => {
    expect(answered({}).wider).toMatchObject({ pointer: '/plan/mesh/tensor', value: 4 })
    expect(answered({ tensor: 2 }).plan.feasible).toBe(false)
    expect(answered({ tensor: 4 }).plan.feasible).toBe(true)
  })

  it('of replicas on all chips has fewer of them', () => {
    const { wider } = answered({ data: 8 })
    expect(wider).toMatchObject({ pointer: '/plan/mesh/tensor', also: [{ pointer: '/plan/mesh/data' }] })
    const data = Number(wider?.also?.[0]?.value)
    const mesh = { data, tensor: Number(wider?.value) }
    expect(meshSize({ ...unitMesh, ...mesh })).toBe(8)
    expect(answered(mesh).plan.feasible).toBe(true)
  })

  it('is told of no mesh where none of the chips fits', () => {
    const small = { ...problem, memoryBudget: 1e9 }
    const answer = evaluateInferenceRemedied(small, { mesh: unitMesh, layout: {} }, solver)
    expect('suggestions' in answer && answer.suggestions).not.toContainEqual(
      expect.objectContaining({ change: 'another mesh' }),
    )
  })
})
