/** Which form of latent attention a server's command has: where an index chooses positions, the faster one, as in searches. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import type { PrefillWorkload } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueModel } from '../../catalogue.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'

const read = (name: string, mode: string) => {
  const context = { chips: 8, slices: 1, mode, model: knownOf(catalogueModel(name)) }
  return readVllm('vllm serve m --tensor-parallel-size 8', context).plan.layout
}

describe('a command', () => {
  it.each([
    ['deepseek-v3', 'prefill', '1d/heads/projected'],
    ['deepseek-v3.2', 'prefill', '1d/heads'],
    ['deepseek-v3', 'generate', '1d/heads/absorbed'],
    ['deepseek-v3.2', 'generate', '1d/heads/absorbed'],
  ])('for %s of %s lays attention as %s', (name, mode, attention) => {
    expect(read(name, mode)).toMatchObject({ attention })
  })
})

describe('a plan that names no form', () => {
  const problem = (promptLength: number) =>
    inferenceProblem<PrefillWorkload>({
      ...{ model: 'deepseek-v3.2', chip: 'h200-sxm', chips: 8, constraints: { tensor: 8 } },
      workload: { mode: 'prefill', promptLength, batchSequences: 4, cachedPrefixLength: 0 },
      precision: { weights: 'fp8', compute: 'fp8' },
    })

  it.each([4096, 131_072])('has the faster one for prompts of %i positions', (promptLength) => {
    const asked = problem(promptLength)
    const of = (attention: string) => {
      const sketch = { mesh: { ...unitMesh, tensor: 8 }, layout: { attention } }
      return legal(evaluateInference(asked, sketch, solver)).plan
    }
    const [open, ...forms] = ['1d/heads', '1d/heads/absorbed', '1d/heads/projected'].map(of)
    const times = forms.map(({ stepTimeSeconds }) => stepTimeSeconds)
    expect(times[0]).not.toBeCloseTo(times[1] ?? 0, 3)
    expect(open?.stepTimeSeconds).toBe(Math.min(...times))
  })
})
