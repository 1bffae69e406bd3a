/** What runs again of layers that keep their input alone. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver as solver } from '../../solvers/javascript-lp-solver.ts'
import { recomputedArrays } from '../../src/cost/memory/recomputation.ts'
import { evaluate } from '../../src/evaluate.ts'
import { asRun, policyRows, recomputations } from '../../src/recipe/policy.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { derive } from '../../src/sharding/derive.ts'
import { problem } from '../problem.ts'
import { layerComponents } from '../rules-of-thumb.ts'

const models = ['llama-3-8b', 'mixtral-8x7b', 'deepseek-v2-lite', 'gpt-j-6b'].map(
  (model) => problem({ model, chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 4096 }).model,
)

const inputAlone = policyRows.filter((policy) => asRun(policy, 'whole') !== policy)

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
