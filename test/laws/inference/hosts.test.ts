/** What hosts take: to start the kernels of prompts one by one, and for the steps of each stage of a pipeline. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { prefillPass } from '../../../src/inference/pass/pass.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { GenerateWorkload, PhaseProblem, PrefillWorkload } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'

const { model: llama } = inferenceProblem({
  model: 'llama-3.1-8b',
  chip: 'h100-sxm',
  chips: 1,
  workload: prompts(1, 1),
})
const { layers } = llama
const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
const stages = fc.constantFrom(1, 2, 4, 8)

function planOf(
  workload: GenerateWorkload | PrefillWorkload,
  mesh: Partial<Mesh>,
  changed: Partial<Assumptions>,
): InferencePlan {
  const problem = inferenceProblem({
    ...{ model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 8, workload },
    assumptions: { basis: 'calibrated', ...changed },
  }) as PhaseProblem
  const whole = { ...unitMesh, ...mesh }
  const answer = legal(
    evaluateInference(problem, { mesh: { ...whole, tensor: 8 / whole.pipeline }, layout }, solver),
  )
  return answer.plan
}

describe('a host', () => {
  it('starts the layers of a short prompt for as long as it takes, and those of a long one while they run', () => {
    const each = 1e-3
    const [short, long] = [128, 32_768].map((length) =>
      [each, 0].map(
        (inferenceLayerHostSeconds) =>
          planOf(prompts(1, length), {}, { inferenceLayerHostSeconds, inferenceStepOverheadSeconds: 0 })
            .stepTimeSeconds,
      ),
    )
    expect(short?.[0]).toBeCloseTo(layers * each, 4)
    expect(short?.[1]).toBeLessThan(layers * each)
    expect(long?.[0]).toBe(long?.[1])
  })

  it('starts graphs of generation at once', () => {
    const [slow, quick] = [1e-3, 0].map(
      (inferenceLayerHostSeconds) =>
        planOf(generation(8, 4096), {}, { inferenceLayerHostSeconds }).stepTimeSeconds,
    )
    expect(slow).toBe(quick)
  })

  law('takes a step for each group of sequences on each stage', 4, [stages], (pipeline) => {
    const each = 1e-2
    const [with_, without] = [each, 0].map(
      (inferenceStepOverheadSeconds) =>
        planOf(generation(64, 4096), { pipeline }, { inferenceStepOverheadSeconds }).stepTimeSeconds,
    )
    expect((with_ ?? 0) - (without ?? 0)).toBeCloseTo(pipeline * each, 9)
  })

  law(
    'takes one for each chunk of a prompt, and for the last on each further stage',
    6,
    [stages, fc.constantFrom(1, 2, 4)],
    (pipeline, chunks) => {
      const each = 1e-2
      const workload = prompts(1, 8192, { chunkTokens: 8192 / chunks })
      const [with_, without] = [each, 0].map(
        (inferenceStepOverheadSeconds) =>
          planOf(workload, { pipeline }, { inferenceStepOverheadSeconds }).stepTimeSeconds,
      )
      expect((with_ ?? 0) - (without ?? 0)).toBeCloseTo((chunks + pipeline - 1) * each, 9)
    },
  )
})

describe('chunks of a prompt', () => {
  law(
    'attend to as much as those that are waited for: all of them on the first stage, and the last on each other',
    20,
    [stages, fc.constantFrom(1, 2, 4, 8), fc.constantFrom(1, 3)],
    (pipeline, chunks, groups) => {
      const workload = prompts(groups, chunks * 1024, { chunkTokens: 1024 })
      const before = Array.from({ length: groups * chunks }, (_, unit) => (unit % chunks) * 1024)
      const waited = [...before, ...Array.from({ length: pipeline - 1 }, () => (chunks - 1) * 1024)]
      const { shape } = prefillPass(llama, workload, groups, pipeline)
      const mean = waited.reduce((sum, past) => sum + past, 0) / waited.length
      expect(shape.context - shape.positions).toBeCloseTo(mean, 6)
    },
  )

  law(
    'of which the last is shorter are as long in the mean, and attend to as much, as all that are waited for',
    40,
    [stages, fc.integer({ min: 100, max: 5000 }), fc.integer({ min: 64, max: 2048 }), fc.constantFrom(1, 3)],
    (pipeline, fresh, chunkTokens, groups) => {
      const size = Math.min(fresh, chunkTokens)
      const starts = Array.from({ length: Math.ceil(fresh / size) }, (_, chunk) => chunk * size)
      const own = starts.map((past) => ({ past, length: Math.min(size, fresh - past) }))
      const waited = { past: fresh - size, length: size }
      const all = [
        ...Array.from({ length: groups }, () => own).flat(),
        ...Array.from({ length: pipeline - 1 }, () => waited),
      ]
      const { shape, units } = prefillPass(llama, prompts(groups, fresh, { chunkTokens }), groups, pipeline)
      const turns = units + pipeline - 1
      expect(turns).toBe(all.length)
      const positions = all.reduce((sum, { length }) => sum + length, 0)
      const met = all.reduce((sum, { past, length }) => sum + length * (past + length / 2), 0)
      expect(turns * shape.positions).toBeCloseTo(positions, 6)
      expect((positions * (shape.context - shape.positions / 2)) / met).toBeCloseTo(1, 9)
    },
  )

  it('are told as they are cut, whatever is left for the last', () => {
    for (const length of [6145, 5000, 4095]) {
      const { microbatchTokens, launch } = planOf(prompts(1, length), { pipeline: 8 }, {})
      expect(microbatchTokens).toBe(2048)
      expect(JSON.stringify(launch)).toContain('--max-num-batched-tokens 2048')
    }
  })

  it('are no smaller than servers make them, unless a request says so', () => {
    const units = (length: number, more: Partial<PrefillWorkload> = {}) =>
      planOf(prompts(1, length, more), { pipeline: 8 }, {}).microbatches
    expect(units(2048)).toBe(1)
    expect(units(4095)).toBe(2)
    expect(units(8192)).toBe(4)
    expect(units(8192, { chunkTokens: 256 })).toBe(32)
  })
})
