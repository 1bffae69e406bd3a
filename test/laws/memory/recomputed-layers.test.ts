/** What runs again of layers that keep their input alone. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver as solver } from '../../../solvers/javascript-lp-solver.ts'
import { recomputedArrays } from '../../../src/cost/memory/recomputation.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { asRun, policyRows, recomputations } from '../../../src/recipe/policy.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { derive } from '../../../src/sharding/derive.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { layerComponents } from '../../rules-of-thumb.ts'

const models = ['llama-3-8b', 'mixtral-8x7b', 'deepseek-v2-lite', 'gpt-j-6b'].map(
  (model) => problem({ model, chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 4096 }).model,
)

const inputAlone = policyRows.filter(
  ({ mlp, attention, stream }) => mlp.length + attention.length === 0 && stream === 1,
)

describe('Of a layer that keeps its input alone', () => {
  it('the whole forward pass runs again, with what it moves', () => {
    expect(inputAlone.map(({ name }) => name)).toEqual(['full', 'full_offloaded'])
    for (const component of models.flatMap((model) => layerComponents(model, 'sequence'))) {
      for (const policy of inputAlone) {
        const recomputed = recomputedArrays(component, asRun(policy, 'whole'))
        const lines = (again: readonly string[]) =>
          derive(component, { zeroStage: 3, regatherActivations: true, recomputed: again }).lines
        const told = (all: ReturnType<typeof lines>, pass: string) =>
          all
            .map((line) => (line.kind === 'move' ? line.move : line.product))
            .filter((done) => done.pass === pass)
            .map((done) => ('out' in done ? done.notation : `${done.operation} ${done.from} ${done.to}`))
        const whole = lines(recomputed)
        const usual = told(lines([]), 'backward')
        const again = told(whole, 'backward')
        expect(again.length).toBeGreaterThanOrEqual(usual.length)
        expect(again).toEqual(expect.arrayContaining(told(whole, 'forward')))
      }
    }
  })

  it('what the backward pass does not read is left out where it is not needed', () => {
    for (const component of models.flatMap((model) => layerComponents(model, 'sequence'))) {
      for (const policy of inputAlone) {
        const [whole, needed] = recomputations.map((way) => recomputedArrays(component, asRun(policy, way)))
        expect(whole).toEqual(expect.arrayContaining([...(needed ?? [])]))
      }
    }
  })

  it('more takes longer, and nothing changes for layers that keep more', () => {
    const times = (rematerialization: string) =>
      recomputations.map((recomputation) => {
        const asked = problem({
          ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 4096 },
          assumptions: { basis: 'calibrated', recomputation },
        })
        const answer = evaluate(asked, { mesh: { ...unitMesh, tensor: 8 }, rematerialization }, solver)
        return 'plan' in answer ? answer.plan.stepTimeSeconds : Number.NaN
      })
    const [whole = 0, needed = 0] = times('full')
    expect(whole).toBeGreaterThan(needed)
    const [selective, same] = times('selective')
    expect(selective).toBe(same)
  })
})

describe('Policies for latent attention', () => {
  const asked = { chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 4096 }
  const evaluated = (model: string, rematerialization: string) =>
    evaluate(problem({ ...asked, model }), { mesh: { ...unitMesh, data: 8 }, rematerialization }, solver)
  const [none, projections, most] = ['none', 'mla_up_proj', 'layernorm+mla_up_proj+moe_act'].map((policy) => {
    return legal(evaluated('deepseek-v2-lite', policy)).plan
  })

  it('keep less and do more, one after another, without a move', () => {
    const kept = [none, projections, most].map((plan) => plan?.memoryBytes.activations ?? 0)
    expect(kept).toEqual([...kept].sort((a, b) => b - a))
    expect(new Set(kept).size).toBe(3)
    const again = [none, projections, most].map((plan) => plan?.timeSeconds.rematerialization ?? 0)
    expect(again[0]).toBe(0)
    expect(again[1]).toBeGreaterThan(0)
    expect(again[2]).toBe(again[1])
    expect(most?.stepTimeSeconds).toBeGreaterThan(projections?.stepTimeSeconds ?? 0)
    expect(most?.collectives.length).toBe(none?.collectives.length)
  })

  it('run the projections up again, and nothing else', () => {
    const { model } = problem({ ...asked, model: 'deepseek-v2-lite' })
    const attention = layerComponents(model, 'sequence').find(({ name }) => name === 'attention')
    const row = policyRows.find(({ name }) => name === 'mla_up_proj')
    if (!attention || !row) throw new Error('there are latent attention and its policy')
    expect([...recomputedArrays(attention, row)].sort()).toEqual(['K', 'Q', 'V'])
  })

  it('are refused for a model without it', () => {
    const refused = evaluated('llama-3-8b', 'mla_up_proj')
    expect(refused).toMatchObject({ illegal: [{ pointer: '/plan/rematerialization' }] })
  })
})

describe('Modules that are recomputed alone', () => {
  const asked = { chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 4096 }
  const evaluated = (model: string, rematerialization: string) =>
    evaluate(problem({ ...asked, model }), { mesh: { ...unitMesh, tensor: 8 }, rematerialization }, solver)
  const planOf = (model: string, policy: string) => {
    const answer = evaluated(model, policy)
    if ('illegal' in answer) throw new Error(policy)
    return answer.plan
  }

  it('of a dense MLP run whole, and attention never again', () => {
    const { model } = problem({ ...asked, model: 'llama-3-8b' })
    const row = policyRows.find(({ name }) => name === 'mlp')
    if (!row) throw new Error('there is such a policy')
    const [attention, mlpOf] = layerComponents(model, 'sequence')
    if (!attention || !mlpOf) throw new Error('a layer has both')
    const [whole, needed] = [asRun(row, 'whole'), asRun(row, 'needed')]
    expect(recomputedArrays(attention, whole)).toEqual([])
    expect(recomputedArrays(mlpOf, whole)).toEqual(mlpOf.einsums.map(({ out }) => out))
    // The last product is read by nobody.
    expect(recomputedArrays(mlpOf, needed).length).toBe(mlpOf.einsums.length - 1)
    const [none, mlp, full] = ['none', 'mlp', 'full'].map((policy) => planOf('llama-3-8b', policy))
    const kept = [none, mlp, full].map((plan) => plan?.memoryBytes.activations ?? 0)
    expect(kept).toEqual([...kept].sort((a, b) => b - a))
    const time = [none, mlp, full].map((plan) => plan?.timeSeconds.rematerialization ?? 0)
    expect(time[0]).toBe(0)
    expect(time).toEqual([...time].sort((a, b) => a - b))
  })

  it('of experts keep less, without a matmul or a move', () => {
    const [none, act, norms] = ['none', 'moe_act', 'layernorm+moe_act'].map((policy) =>
      planOf('mixtral-8x7b', policy),
    )
    const kept = [none, act, norms].map((plan) => plan?.memoryBytes.activations ?? 0)
    expect(kept).toEqual([...kept].sort((a, b) => b - a))
    expect(new Set(kept).size).toBe(3)
    expect([none, act, norms].map((plan) => plan?.hfu)).toEqual([none, act, norms].map((plan) => plan?.mfu))
    expect(norms?.stepTimeSeconds).toBeGreaterThan(none?.stepTimeSeconds ?? 0)
    expect(norms?.collectives.length).toBe(none?.collectives.length)
  })

  it('are refused for models that have no such modules', () => {
    const illegal = { illegal: [{ pointer: '/plan/rematerialization' }] }
    expect(evaluated('mixtral-8x7b', 'mlp')).toMatchObject(illegal)
    expect(evaluated('llama-3-8b', 'moe_act')).toMatchObject(illegal)
  })
})
