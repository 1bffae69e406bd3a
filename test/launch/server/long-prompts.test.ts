/** A server that does both phases reads long prompts in parts, and the longest time between two tokens is told beside the mean. */
import { expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const question = {
  model: 'deepseek-v3.2',
  hardware: { chip: 'h200-sxm', chips: 8 },
  assumptions: { frameworks: ['sglang'] },
}

const answered = async (path: string, workload: object, more: object = {}) => {
  const asked = { ...question, workload: { mode: 'serve', outputLength: 1024, ...workload }, ...more }
  const { status, body } = await agent.post(path).send(asked)
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body
}

const long = { promptLength: 100_000, disaggregated: false }
const told = /(\S+ m?s) where the step reads a chunk of prompts/

it('without a limit a chunk is what matmuls gain by, at the rate of whole prompts', async () => {
  const { plans, warnings } = await answered('/optimize', long, { top: 3 })
  const [best] = plans
  const flags: readonly string[] = best.launch.sglang
  const written = (flag: string) => Number(flags[flags.indexOf(flag) + 1])
  const groups = written('--dp-size')
  expect(written('--chunked-prefill-size')).toBe(best.stepTokens)
  // 8192 tokens of a prompt, and as many as there may be sequences, in whole pages.
  expect(best.stepTokens / groups).toBeLessThanOrEqual(8192 + Math.ceil(best.maxSequences / groups / 64) * 64)
  expect(best.longestTokenSeconds).toBeGreaterThan(1)
  expect(best.longestTokenSeconds).toBeLessThan(2)
  expect(warnings.join('\n')).toMatch(told)

  const stepTokens = groups * (100_000 + 64)
  const whole = await answered('/evaluate', long, { plan: { ...sketchOf(best), stepTokens } })
  expect(whole.plan.longestTokenSeconds).toBeGreaterThan(10)
  expect(whole.warnings.join('\n')).toMatch(told)
  expect(whole.plan.requestsPerSecond / best.requestsPerSecond).toBeCloseTo(1, 3)
})

it('within a limit nothing is told, and where only larger chunks are in time for the first token, it is', async () => {
  const within = await answered('/optimize', { ...long, maxTimePerOutputTokenSeconds: 0.1 }, { top: 1 })
  expect(within.plans[0].longestTokenSeconds).toBeLessThanOrEqual(0.1)
  expect(within.warnings.join('\n')).not.toMatch(told)

  const requestsPerSecond = within.plans[0].requestsPerSecond / 2
  const limits = { maxTimePerOutputTokenSeconds: 0.1, maxTimeToFirstTokenSeconds: 9.5 }
  const { plans, warnings } = await answered(
    '/optimize',
    { ...long, requestsPerSecond, ...limits },
    { top: 1 },
  )
  expect(plans[0].timePerOutputTokenSeconds).toBeLessThanOrEqual(0.1)
  expect(plans[0].longestTokenSeconds).toBeGreaterThan(0.1)
  expect(warnings.join('\n')).toMatch(told)
})

it('phases apart have no such step', async () => {
  const workload = { promptLength: 2048, disaggregated: true }
  const { plans, warnings } = await answered('/optimize', workload, { model: 'llama-3-8b', top: 1 })
  expect(plans[0].longestTokenSeconds).toBeNull()
  expect(warnings.join('\n')).not.toMatch(told)
})

interface Served {
  readonly maxSequences: number
  readonly prefill: Phase
  readonly generate: Phase
}

interface Phase {
  readonly mesh: object
  readonly layout: object
  readonly batchSequences: number
}

const sketchOf = ({ maxSequences, prefill, generate }: Served) => ({
  ...{ disaggregated: false, maxSequences },
  prefill: { mesh: prefill.mesh, layout: prefill.layout, batchSequences: prefill.batchSequences },
  generate: { mesh: generate.mesh, layout: generate.layout },
})
