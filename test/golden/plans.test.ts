/**
 * Snapshots of whole answers: a change of the model shows as a change of plans, to be read before it is accepted (`npx
 * vitest run test/golden -u` rewrites them).
 */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import { optimizeRequest } from '../../api/schemas/optimize.ts'
import { problemOf } from '../../api/translate/problem.ts'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { optimize } from '../../src/optimize.ts'
import type { OptimizeAnswer } from '../../src/plan/answer.ts'
import type { Plan } from '../../src/plan/plan.ts'

const batch = { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 }

const questions: Readonly<Record<string, unknown>> = {
  'llama-3-70b on a v5p pod, book': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5p', topology: [16, 20, 28] },
    workload: batch,
    assumptions: 'book',
  },
  'llama-3-70b on a v5p pod': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5p', topology: [16, 20, 28] },
    workload: batch,
  },
  'llama-3-8b on 64 h100': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 64 },
    workload: batch,
  },
  'llama-3.1-405b on 16384 h100': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm', chips: 16_384 },
    workload: { ...batch, batchTokens: 16_777_216 },
  },
  'gpt-3-175b on 1024 a100': {
    model: 'gpt-3-175b',
    hardware: { chip: 'a100-80g-sxm', chips: 1024 },
    workload: { mode: 'train', batchSequences: 1536, sequenceLength: 2048 },
  },
  'palm-540b on two slices of v4': {
    model: 'palm-540b',
    hardware: { chip: 'tpu-v4', topology: [12, 16, 16], slices: 2 },
    workload: { mode: 'train', batchSequences: 2048, sequenceLength: 2048 },
  },
  'llama-3-70b on 1000 h100, no power of two': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 1000 },
    workload: batch,
  },
  'llama-3-70b on 8 v5e, too big': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', chips: 8 },
    workload: { ...batch, batchTokens: 524_288 },
  },
}

describe('the ranked plans for', async () => {
  const catalogue = loadCatalogue()
  const solver = javascriptLpSolver

  it.each(Object.entries(questions))('%s', async (name, request) => {
    const question = problemOf(optimizeRequest.parse(request), catalogue)
    if (question.mode !== 'train') throw new Error('A golden plan is of training')
    const answer = optimize(question.problem, solver)
    expect(answer.search.gap ?? 0).toBeGreaterThanOrEqual(0)
    await expect(page(answer)).toMatchFileSnapshot(
      `../../fixtures/golden/plans/${name.replaceAll(/[ ,.]+/g, '-')}.txt`,
    )
  })
})

function page({ plans, infeasible, search, warnings }: OptimizeAnswer): string {
  const { infeasible: reasons, ...counts } = search
  const suggestions =
    infeasible?.suggestions.map(({ change, value }) => `  try ${change}: ${JSON.stringify(value)}`) ?? []
  const account = Object.entries({ ...counts, ...reasons }).map(([name, value]) => `${name} ${figure(value)}`)
  return [...plans.map(line), ...suggestions, account.join(', '), ...warnings, ''].join('\n')
}

function line(plan: Plan): string {
  const {
    rank,
    summary,
    stepTimeSeconds,
    lowerBoundSeconds,
    upperBoundSeconds,
    mfu,
    memoryBytes,
    bottleneck,
  } = plan
  const times = [stepTimeSeconds, lowerBoundSeconds, upperBoundSeconds].map(figure).join(' / ')
  return `${rank}. ${summary}: ${times} s, mfu ${figure(mfu)}, ${figure(memoryBytes.total / 1e9)} GB, ${bottleneck}`
}

function figure(value: unknown): string {
  return typeof value === 'number' ? Number(value.toPrecision(4)).toString() : String(value)
}
