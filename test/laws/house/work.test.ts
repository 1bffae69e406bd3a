/**
 * How much work a search does, counted in blocks of code: that nothing fits is found about as quickly as a plan, and a
 * search that is told to stop stops.
 */
import { afterAll, expect, it } from 'vitest'
import type { Patience } from '../../../src/patience.ts'
import type { ServeWorkload } from '../../../src/problem.ts'
import { countWork } from '../../work.ts'

const counter = countWork()
// What is loaded before is not counted block by block.
const { infer } = await import('../../../src/infer.ts')
const { serve } = await import('../../../src/serve.ts')
const { optimize } = await import('../../../src/optimize.ts')
const { generation, inferenceProblem, prompts, solver } = await import('../../inference-problem.ts')
const { problem } = await import('../../problem.ts')
afterAll(() => counter.close())

const source = /\/(src|solver)\//
const small = {
  ...{ layers: 6, dModel: 1024, dFf: 4096, heads: 16, kvHeads: 4, headDim: 64, vocab: 32_000 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
}
const experts = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 1024, denseLayers: 1, every: 1 }
const on = { model: { ...small, experts }, chip: 'h100-sxm', chips: 16, top: 5 }
const requests: ServeWorkload = {
  ...{ mode: 'serve', promptLength: 512, outputLength: 60, cachedPrefixLength: 0, requestsPerSecond: 10 },
  disaggregated: 'auto',
}

type Ask = (memory: { readonly memoryBudget?: number }, patience?: Patience, chips?: number) => unknown

const asks: Readonly<Record<string, Ask>> = {
  training: (memory, patience, chips = on.chips) =>
    optimize(
      problem({ ...on, ...memory, chips, batchTokens: 2 ** 20, sequenceLength: 4096 }),
      solver,
      patience,
    ),
  prefill: (memory, patience, chips = on.chips) =>
    infer(inferenceProblem({ ...on, ...memory, chips, workload: prompts(64, 2048) }), solver, patience),
  generation: (memory, patience, chips = on.chips) =>
    infer(inferenceProblem({ ...on, ...memory, chips, workload: generation(64, 2048) }), solver, patience),
  serving: (memory, patience, chips = on.chips) =>
    serve(inferenceProblem({ ...on, ...memory, chips, workload: requests }), solver, patience),
}

function work(ask: () => unknown): number {
  counter.take()
  ask()
  return counter.take().within(source)
}

it.each(['prefill', 'generation'])('%s that fits nowhere takes little more than what fits', (name) => {
  const ask = asks[name] ?? (() => null)
  const fits = work(() => ask({}))
  expect(fits).toBeGreaterThan(1e6)
  expect(work(() => ask({ memoryBudget: 1e6 }))).toBeLessThan(2 * fits)
})

it.each(Object.entries(asks))('%s that is told to stop is done soon after, wherever it is', (_name, ask) => {
  for (const end of [10, 500]) {
    let looks = 0
    const patience: Patience = () => () => {
      looks++
      if (looks === end) counter.take()
      return looks >= end
    }
    ask({}, patience, 720_720)
    expect(looks).toBeGreaterThanOrEqual(end)
    // Some ten milliseconds; to list all meshes and look for their floors takes a hundred times as long.
    expect(counter.take().within(source)).toBeLessThan(5e6)
  }
})
