import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import type { Constraints } from '../../../src/constraint.ts'
import { optimize } from '../../../src/optimize.ts'
import { beyondOf } from '../../../src/plan/certainty/custom.ts'
import type { Problem } from '../../../src/problem.ts'
import type { Mesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { problem } from '../../problem.ts'

const { residuals } = loadCatalogue()

/** 405B, whose first plan cuts sequences finer than any run did, and whose family has a plan that does not. */
const asked = (constraints: Constraints = {}): Problem => ({
  ...problem({
    ...{ model: 'llama-3.1-405b', chip: 'h100-sxm', chips: 1024 },
    ...{ batchTokens: 4 * 2 ** 20, sequenceLength: 8192 },
  }),
  ...{ distinct: 'family', top: 3, residuals },
  constraints: { tensor: [4, 8], pipeline: [16, 32], fsdp: 1, ...constraints },
})

describe('where the first plan goes beyond all measured runs', () => {
  it('the best plan that does not is listed beside it, as a search of such plans alone finds it', () => {
    const question = asked()
    const beyond = beyondOf(question)
    if (!beyond) throw new Error('Nothing is known of measured runs')
    const isWithin = ({ mesh }: { readonly mesh: Mesh }) => beyond({ mesh }).octaves === 0
    const { plans, warnings } = optimize(question, solver)
    const [first] = plans
    expect(first && isWithin(first)).toBe(false)
    const [alone] = optimize(asked({ context: [1, 2] }), solver).plans
    const within = plans.find(isWithin)
    expect(within?.mesh).toEqual(alone?.mesh)
    expect(within?.stepTimeSeconds).toBe(alone?.stepTimeSeconds)
    expect(plans.length).toBeLessThanOrEqual(question.top)
    const steps = plans.map(({ stepTimeSeconds }) => stepTimeSeconds)
    expect([...steps].sort((a, b) => a - b)).toEqual(steps)
    expect(warnings.some((text) => text.startsWith('plan 1 goes beyond all measured runs: '))).toBe(true)
  })

  it('that plan is preferred where both are tied, and says why', () => {
    const differences = { ...residuals.differences, growth: 100 }
    const { plans, preferred } = optimize({ ...asked(), residuals: { ...residuals, differences } }, solver)
    const chosen = plans.find(({ id }) => id === preferred?.id)
    expect(plans[0]?.mesh.context).toBe(4)
    expect(chosen?.mesh.context).toBeLessThan(4)
    expect(preferred?.reasons).toContain(
      'closer to measured runs: the first plan has 2048 positions of a sequence on a chip, where runs had at least 4096',
    )
  })

  it('and nothing is said where runs went as far', () => {
    const ran = { ...residuals.ran, positions: 512 }
    const { plans, warnings } = optimize({ ...asked(), residuals: { ...residuals, ran } }, solver)
    expect(plans[0]?.mesh.context).toBe(4)
    expect(warnings.filter((text) => text.includes('measured runs'))).toEqual([])
  })
})
