/**
 * Snapshots of whole answers for prefill and generation: a change of the model shows as a change of plans, to be read
 * before it is accepted (`npx vitest run test/golden -u` rewrites them).
 */
import { describe, expect, it } from 'vitest'
import { infer } from '../../src/infer.ts'
import type { InferenceAnswer, InferencePlan } from '../../src/plan/inference-plan.ts'
import type { PhaseProblem } from '../../src/problem.ts'
import { generation, inferenceProblem, prompts, solver } from '../inference-problem.ts'

const fp8 = { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' } as const

const questions: Readonly<Record<string, PhaseProblem>> = {
  'palm-540b generates for 64 sequences on 64 v4': inferenceProblem({
    model: 'palm-540b',
    chip: 'tpu-v4',
    topology: [4, 4, 4],
    workload: generation(64, 2048),
    precision: { weights: 'int8' },
  }),
  'llama-3-70b generates for as many as fit on 16 v5e': inferenceProblem({
    model: 'llama-3-70b',
    chip: 'tpu-v5e',
    topology: [4, 4],
    workload: generation('max', 8192),
    precision: { weights: 'int8', kvCache: 'int8' },
  }),
  'llama-3.1-405b generates for 64 sequences on 16 h100': inferenceProblem({
    model: 'llama-3.1-405b',
    chip: 'h100-sxm',
    chips: 16,
    workload: generation(64, 4096, { speculative: { draft: { costRatio: 0.05 }, acceptance: 0.8 } }),
    precision: fp8,
  }),
  'llama-3.1-405b reads a long prompt on 16 h100': inferenceProblem({
    model: 'llama-3.1-405b',
    chip: 'h100-sxm',
    chips: 16,
    workload: prompts(1, 131_072),
    precision: fp8,
  }),
}

describe('the ranked plans of inference where', () => {
  it.each(Object.entries(questions))('%s', async (name, problem) => {
    await expect(page(infer(problem, solver))).toMatchFileSnapshot(
      `../../fixtures/golden/plans/${name.replaceAll(/[ ,.]+/g, '-')}.txt`,
    )
  })
})

function page({ plans, pareto = [], search, warnings }: InferenceAnswer): string {
  const { infeasible: reasons, ...counts } = search
  const account = Object.entries({ ...counts, ...reasons }).map(([name, value]) => `${name} ${figure(value)}`)
  const frontier = pareto.map(({ chipSecondsPerToken, stepTimeSeconds, summary }) => {
    return `  ${figure(stepTimeSeconds)} s, ${figure(chipSecondsPerToken)} chip-seconds a token: ${summary}`
  })
  return [...plans.map(line), account.join(', '), 'frontier', ...frontier, ...warnings, ''].join('\n')
}

function line(plan: InferencePlan): string {
  const { rank, summary, stepTimeSeconds, lowerBoundSeconds, upperBoundSeconds, speculation } = plan
  const times = [stepTimeSeconds, lowerBoundSeconds, upperBoundSeconds, plan.floorSeconds].map(figure)
  const bytes = figure(plan.memoryBytes.total / 1e9)
  const drafts = speculation
    ? `, ${speculation.draftTokens} drafted: ${figure(speculation.secondsPerToken)} s`
    : ''
  const most = plan.maxBatchSequences === undefined ? '' : `, at most ${plan.maxBatchSequences} sequences`
  const share = `mfu ${figure(plan.mfu)}, ${bytes} GB, ${plan.bottleneck}`
  return `${rank}. ${summary}: ${times.join(' / ')} s, ${share}${most}${drafts}`
}

function figure(value: unknown): string {
  return typeof value === 'number' ? Number(value.toPrecision(4)).toString() : String(value)
}
