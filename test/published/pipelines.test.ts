/**
 * What servers' pipelines keep of the rate of tensor parallelism over the same eight H200, as measured by others (ai-dynamo/aiconfigurator, comment of
 * 2026-08-04 on pull request 1459: vLLM 0.9.1 and SGLang 0.5.13, prompts of 4000, 1000 tokens of output, up to 32 requests at once). Nothing
 * was set on it: each stage takes a step for each group that it passes on.
 */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../src/evaluate-inference.ts'
import type { PhaseProblem } from '../../src/problem.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { publishedStacks } from '../accuracy/stack-of.ts'
import { generation, inferenceProblem, prompts, solver } from '../inference-problem.ts'
import { legal } from '../legal.ts'

const kept = [
  { model: 'qwen3-0.6b', pipeline: 2, stack: 'vllm-2025', measured: 0.791 },
  { model: 'qwen3-0.6b', pipeline: 4, stack: 'vllm-2025', measured: 0.563 },
  { model: 'qwen3-0.6b', pipeline: 8, stack: 'vllm-2025', measured: 0.349 },
  { model: 'qwen3-8b', pipeline: 2, stack: 'vllm-2025', measured: 0.798 },
  { model: 'qwen3-0.6b', pipeline: 2, stack: 'sglang-2025', measured: 0.991 },
  { model: 'qwen3-0.6b', pipeline: 4, stack: 'sglang-2025', measured: 0.559 },
  { model: 'qwen3-0.6b', pipeline: 8, stack: 'sglang-2025', measured: 0.307 },
  { model: 'qwen3-8b', pipeline: 2, stack: 'sglang-2025', measured: 0.815 },
]

const requests = 32
const [promptLength, outputLength] = [4000, 1000]

/** Of one token for each request: a step, and the prompts that come between two. */
function seconds(model: string, stack: string, pipeline: number): number {
  const constants = publishedStacks().find(({ name }) => name === stack)?.constants
  const of = {
    model,
    chip: 'h200-sxm',
    chips: 8,
    assumptions: { basis: 'calibrated', ...constants },
  } as const
  const mesh = { ...unitMesh, tensor: 8 / pipeline, pipeline }
  const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
  const [step, read] = [
    generation(requests, promptLength + outputLength / 2),
    prompts(2 * pipeline, promptLength),
  ].map((workload) => {
    const problem = inferenceProblem({ ...of, workload }) as PhaseProblem
    const answer = legal(evaluateInference(problem, { mesh, layout }, solver))
    return answer.plan.stepTimeSeconds
  })
  return (step ?? 0) + ((read ?? 0) / (2 * pipeline)) * (requests / (outputLength - 1))
}

describe('pipelines of servers', () => {
  it.each(kept)('$model under $stack keeps $measured of the rate in $pipeline stages, within a quarter', ({
    model,
    pipeline,
    stack,
    measured,
  }) => {
    const predicted = seconds(model, stack, 1) / seconds(model, stack, pipeline)
    expect(Math.abs(predicted / measured - 1)).toBeLessThan(0.25)
  })
})
