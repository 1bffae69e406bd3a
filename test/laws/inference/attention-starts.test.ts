/** What starting attention is worth in inference: keys for each query of a prompt, and nothing of a step of generation. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { GenerateWorkload, PhaseProblem, PrefillWorkload } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'

const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
const h100 = { peak: 989e12, attention: 0.58 }
const llama = { layers: 32, heads: 32, headDim: 128 }

function seconds<Workload extends PrefillWorkload | GenerateWorkload>(
  workload: Workload,
  attentionHalfKeys: number,
): number {
  const problem = inferenceProblem({
    ...{ model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 1, workload },
    assumptions: { basis: 'calibrated', attentionHalfKeys },
  })
  return legal(evaluateInference(problem as PhaseProblem, { mesh: unitMesh, layout }, solver)).plan
    .stepTimeSeconds
}

describe('attention of prompts', () => {
  it('takes the time of as many more keys as its start is worth, at the rate of kernels that meet 4096 of them', () => {
    const lengths = fc.integer({ min: 2048, max: 16384 })
    forAll(
      10,
      [fc.integer({ min: 1, max: 4 }), lengths, fc.constantFrom(100, 400, 4096)],
      (batch, length, k) => {
        const { layers, heads, headDim } = llama
        const perKey = (4 * layers * batch * length * heads * headDim) / (h100.peak * h100.attention)
        const met = (length + 1) / 2
        const workload = prompts(batch, length)
        expect(seconds(workload, k) - seconds(workload, 0)).toBeCloseTo(
          perKey * ((met + k) / (1 + k / 4096) - met),
          7,
        )
      },
    )
  })

  it('starts once more for each chunk: shorter chunks take longer', () => {
    const times = [8192, 2048, 512].map((chunkTokens) => seconds(prompts(1, 8192, { chunkTokens }), 400))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  it('is no part of a step of generation', () => {
    const step = generation(64, 4096)
    expect(seconds(step, 4096)).toBe(seconds(step, 0))
  })
})
