/** Launches of quantised checkpoints, and of steps with more sequences than graphs are captured for. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { byPart, partParameters, type WeightPart, weightParts } from '../../../src/model/weight-parts.ts'
import type { Precision } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { launched, onHosts, says } from './launched.ts'

describe('steps of many sequences', () => {
  const of = (sequences: number, tensor: number) =>
    launched(
      inferenceProblem({ ...onHosts(tensor), model: 'llama-3-8b', workload: generation(sequences, 256) }),
      { tensor },
    )

  it('have graphs where servers capture none unless told, and are not told of what they capture', () => {
    const [few, many] = [of(256, 1), of(600, 8)]
    for (const { vllm, sglang } of [few]) {
      expect([vllm, sglang].flat().join(' ')).not.toMatch(/graph/)
    }
    says(of(257, 2).sglang, '--cuda-graph-max-bs 257')
    says(many.vllm, '--max-cudagraph-capture-size 600')
    says(many.sglang, '--cuda-graph-max-bs 600')
    for (const [launch, sequences] of [
      [few, 256],
      [many, 600],
    ] as const) {
      expect(launch['tensorrt-llm']).toMatchObject({
        cuda_graph_config: { enable_padding: true, max_batch_size: sequences },
      })
    }
  })
})

describe('a quantised checkpoint', () => {
  const parameterBytes = byPart(() => 0.53125)
  const fp4 = { weights: 'fp4', compute: 'bf16' } as const
  const fp8 = { weights: 'fp8', compute: 'fp8' } as const
  const experts = { attention: '1d/heads', experts: '1d/sliced', unembedding: '1d' }
  const workload = generation(4, 4096)

  it('of experts in four bits beside bf16 is for every framework, of a dense model for vLLM alone', () => {
    const gptOss = onHosts(1, { model: 'gpt-oss-120b' })
    const sparse = launched(
      inferenceProblem({ ...gptOss, workload, precision: { ...fp4, parameterBytes } }),
      {},
      experts,
    )
    says(sparse.vllm, '--dtype bfloat16')
    says(sparse.sglang, '--dtype bfloat16')
    expect(sparse['tensorrt-llm']).not.toHaveProperty('unsupported')
    expect(sparse.notes).toContainEqual(expect.stringContaining('unpacks weights in fp4 to bf16'))
    const dense = launched(inferenceProblem({ ...onHosts(1), workload, precision: fp4 }), {})
    says(dense.vllm, '--dtype bfloat16')
    for (const framework of ['sglang', 'tensorrt-llm'] as const) {
      expect(dense[framework]).toEqual({ unsupported: [expect.stringContaining('in experts alone')] })
    }
  })

  it('is not quantised again by a flag', () => {
    const plainly = launched(inferenceProblem({ ...onHosts(2), workload, precision: fp8 }), { tensor: 2 })
    expect(plainly.notes).toContainEqual(
      expect.stringMatching(/^vLLM: a checkpoint in bf16 is meant.* take 70\.\d GB/),
    )
    const stored = { ...fp8, parameterBytes: byPart(() => 1) }
    const itself = launched(inferenceProblem({ ...onHosts(2), workload, precision: stored }), { tensor: 2 })
    for (const framework of ['vllm', 'sglang'] as const) {
      says(plainly[framework], '--quantization fp8')
      expect(itself[framework]).not.toContain('--quantization')
    }
    expect(itself.notes).toContainEqual(expect.stringContaining('load a checkpoint with weights in fp8'))
  })

  it('is what a server loads where weights in 16 bits have no room until they are quantised', () => {
    const problem = inferenceProblem({ ...onHosts(1), workload, precision: fp8 })
    const { vllm, sglang, commands, notes } = launched(problem, {})
    for (const flags of [vllm, sglang]) expect(flags).not.toContain('--quantization')
    expect(commands?.vllm?.command).toContain('a checkpoint of llama-3-70b in fp8')
    expect(notes).not.toContainEqual(expect.stringContaining('in bf16 is meant'))
  })

  it('takes the bytes of its parts, in memory and in what no layout beats', () => {
    const gptOss = onHosts(1, { model: 'gpt-oss-120b' })
    const part = (of: WeightPart) => (of === 'experts' ? 0.53125 : 2)
    const planOf = (precision: Partial<Precision>) => {
      const problem = inferenceProblem({ ...gptOss, workload, precision })
      const answer = legal(evaluateInference(problem, { mesh: unitMesh, layout: experts }, solver))
      return answer.plan
    }
    const stored = planOf({ ...fp4, parameterBytes: byPart(part) })
    const { model } = inferenceProblem({ ...gptOss, workload })
    const parameters = partParameters(model)
    // Norms and routers are in no part, and stay in 16 bits.
    const beside = weightParts.reduce((left, of) => left - parameters[of], parameterCount(model).total)
    const bytes = weightParts.reduce((sum, of) => sum + parameters[of] * part(of), 2 * beside)
    expect(stored.memoryBytes.parameters / bytes).toBeCloseTo(1, 9)
    const alone = planOf(fp4)
    expect(stored.floorSeconds).toBeGreaterThan(alone.floorSeconds)
    expect(stored.stepTimeSeconds).toBeGreaterThan(alone.stepTimeSeconds)
    expect(planOf({ ...fp4, parameterBytes: byPart(() => 0.5) })).toMatchObject({
      stepTimeSeconds: alone.stepTimeSeconds,
      floorSeconds: alone.floorSeconds,
      criticalBatchTokens: alone.criticalBatchTokens,
    })
  })
})
