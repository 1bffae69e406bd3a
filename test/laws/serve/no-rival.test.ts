/** Why no deployment with the phases apart stands beside one with both together: a reason of this pool, and no limit that nobody set. */
import { describe, expect, it } from 'vitest'
import type { ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { smallDense } from '../../small-model.ts'

function told(chips: number, memoryFraction: number, limits: Partial<ServeWorkload> = {}): string {
  const workload: ServeWorkload = {
    ...{ mode: 'serve', promptLength: 500, outputLength: 50, cachedPrefixLength: 0, disaggregated: 'auto' },
    ...limits,
  }
  const asked = { model: smallDense, chip: 'h100-sxm', chips, memoryFraction, workload }
  const [best] = serve(inferenceProblem(asked), solver).plans
  return best?.explanation.join(' ') ?? ''
}

describe('what is said of phases apart', () => {
  it('is that they need two chips, where there is one', () => {
    const text = told(1, 0.5)
    expect(text).toContain('separate phases need two chips')
    expect(text).not.toMatch(/meets the objectives|and the objectives allow/)
    expect(told(1, 0.5, { maxTimeToFirstTokenSeconds: 100 })).toContain('separate phases need two chips')
  })

  it('is of a deployment, where there are chips enough', () => {
    expect(told(2, 0.5)).toContain('with the phases apart at most')
  })
})
