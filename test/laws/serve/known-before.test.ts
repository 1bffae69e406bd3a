/** What is kept of parts of a pool between requests changes no answer: neither what others asked before, nor that they were cut short. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import type { Patience } from '../../../src/patience.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'

const { residuals } = loadCatalogue()

const pools = fc.constantFrom(
  { model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 4 },
  { model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 6 },
  { model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 12 },
  { model: 'llama-3.1-8b', chip: 'tpu-v5e', topology: [2, 4] },
  { model: 'llama-3.1-8b', chip: 'tpu-v5e', topology: [4, 4] },
  { model: 'deepseek-v2-lite', chip: 'h100-sxm', chips: 4 },
)

const workloads = fc
  .record({
    promptLength: fc.constantFrom(300, 1024),
    outputLength: fc.constantFrom(60, 400),
    disaggregated: fc.constantFrom(true, false, 'auto' as const),
    cachedPrefixLength: fc.constantFrom(0, 128),
    rate: fc.constantFrom(null, 0.5, 20),
    first: fc.constantFrom(null, 0.1, 2),
    perToken: fc.constantFrom(null, ...Array.from({ length: 12 }, (_, at) => 0.004 * 1.3 ** at)),
    longest: fc.constantFrom(null, ...Array.from({ length: 12 }, (_, at) => 2000 + 500 * at)),
    drafts: fc.constantFrom(0, 0, 2),
  })
  .map(
    ({ rate, first, perToken, longest, drafts, ...lengths }): ServeWorkload => ({
      mode: 'serve',
      ...lengths,
      ...(rate === null ? {} : { requestsPerSecond: rate }),
      ...(first === null ? {} : { maxTimeToFirstTokenSeconds: first }),
      ...(perToken === null ? {} : { maxTimePerOutputTokenSeconds: perToken }),
      ...(longest === null ? {} : { contextLength: longest }),
      ...(drafts ? { speculative: { draft: { costRatio: 0.1 }, acceptance: 0.7, tokens: drafts } } : {}),
    }),
  )

const asks = fc.record({
  pool: pools,
  workload: workloads,
  memoryBudget: fc.constantFrom(null, 20e9, 40e9),
  constraints: fc.constantFrom({}, {}, { tensor: 2 }),
  top: fc.constantFrom(1, 4),
  /** How often the search looks whether its time is up until it is; null where it has all the time that it wants. */
  looks: fc.constantFrom(null, null, 30, 300),
})

/** What is kept is kept by the table of residuals, so that a copy of it knows nothing. */
function asNew(problem: ServeProblem): ServeProblem {
  return { ...problem, residuals: { ...residuals } }
}

function lookedAt(most: number): Patience {
  let looks = 0
  return () => () => ++looks > most
}

it('of any requests, one after another', () => {
  let [planned, cut, exact] = [0, 0, 0]
  forAll(32, [asks], ({ pool, memoryBudget, looks, ...of }) => {
    const asked = { ...pool, ...of, ...(memoryBudget === null ? {} : { memoryBudget }) }
    const made: ServeProblem = { ...inferenceProblem(asked), residuals }
    if (looks !== null) {
      const short = serve(made, solver, lookedAt(looks))
      if (short.search.unexamined > 0) cut++
    }
    const after = serve({ ...made }, solver)
    expect(after).toEqual(serve(asNew(made), solver))
    if (after.plans.length > 0) planned++
    if (after.search.exact) exact++
  })
  expect(planned).toBeGreaterThan(10)
  expect(cut).toBeGreaterThan(1)
  expect(exact).toBeGreaterThan(20)
})
