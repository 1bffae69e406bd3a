/** Attention by sequences as servers have it: every chip of a group has its attention weights, reads them, and moves nothing for it. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { partParameters } from '../../../src/model/weight-parts.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'

const question = (model: string, batch: number) =>
  inferenceProblem({ model, chip: 'h200-sxm', chips: 8, workload: generation(batch, 2048) })

function planOf(
  model: string,
  batch: number,
  mesh: Readonly<Record<string, number>>,
  layout: Readonly<Record<string, string>>,
): InferencePlan {
  return legal(evaluateInference(question(model, batch), { mesh: { ...unitMesh, ...mesh }, layout }, solver))
    .plan
}

const form = (model: string) => (model === 'deepseek-v3' ? '/absorbed' : '')
const grouped = (model: string, attention: string, rest: string, places: string) => ({
  attention: `${attention}${form(model)}`,
  ...(model === 'deepseek-v3' ? { mlp: rest } : {}),
  experts: `${model === 'deepseek-v3' ? rest : '1d-sequences'}/${places}`,
  unembedding: rest,
})
const sharded = (model: string, places: string) => ({
  attention: `1d/heads${form(model)}`,
  ...(model === 'deepseek-v3' ? { mlp: '1d' } : {}),
  experts: `1d/${places}`,
  unembedding: '1d',
})

const models = fc.constantFrom('qwen3-235b-a22b', 'deepseek-v3', 'gpt-oss-120b')
const places = fc.constantFrom('sliced', 'spread')

describe('data-parallel attention', () => {
  law(
    'has all of what is copied on every chip, and what is not as tensor parallelism has it',
    6,
    [models, places, fc.constantFrom('1d-sequences', 'copied-all')],
    (model, where, rest) => {
      const { model: transformer, precision } = question(model, 8)
      const parts = partParameters(transformer)
      // On four chips, which no key-value head is copied to anyway.
      const mesh = { tensor: 4, data: 2 }
      const copied = planOf(model, 8, mesh, grouped(model, 'copied-all/batch', rest, where))
      const cut = planOf(model, 8, mesh, sharded(model, where))
      const more = rest === 'copied-all' ? parts.mlp + parts.sharedExperts + parts.unembedding : 0
      const bytes = (copied.memoryBytes.parameters - cut.memoryBytes.parameters) / (3 / 4)
      // Latent attention has its down-projections whole on every chip in either layout.
      const { latent } = transformer.attention
      const down = latent
        ? transformer.layers *
          transformer.dModel *
          ((latent.queryRank ?? 0) + latent.keyValueRank + latent.ropeHeadDim)
        : 0
      expect(precision.weights).toBe('bf16')
      expect(bytes / (2 * (parts.attention - down + parts.embedding + more))).toBeCloseTo(1, 3)
    },
  )

  law(
    'moves the stream once to the experts of each layer and once back, where tensor parallelism also does around attention',
    4,
    [models, places],
    (model, where) => {
      const { layers } = question(model, 64).model
      const count = ({ collectives }: InferencePlan) => collectives.reduce((sum, line) => sum + line.count, 0)
      const copied = planOf(
        model,
        64,
        { tensor: 8 },
        grouped(model, 'copied-all/batch', '1d-sequences', where),
      )
      const cut = planOf(model, 64, { tensor: 8 }, sharded(model, where))
      expect(count(cut) - count(copied)).toBe(2 * layers)
      expect(copied.collectives.map(({ op }) => op)).not.toContain('AllToAll')
    },
  )

  it('has fewer copies the larger its groups are', () => {
    const two = { tensor: 4, tensor2: 2 }
    const model = 'qwen3-235b-a22b'
    const all = planOf(model, 64, { tensor: 8 }, grouped(model, 'copied-all/batch', 'copied-all', 'spread'))
    const groups = planOf(model, 64, two, grouped(model, 'copied/heads-batch', 'copied', 'spread'))
    const cut = planOf(model, 64, { tensor: 8 }, sharded(model, 'spread'))
    const bytes = [cut, groups, all].map(({ memoryBytes }) => memoryBytes.parameters)
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b))
  })
})
