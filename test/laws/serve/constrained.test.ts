/** Where constraints keep a pool from what was asked, that is what is said, with the constraints that would have to go. */
import { expect, it } from 'vitest'
import type { Constraints } from '../../../src/constraint.ts'
import type { ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { smallDense } from '../../small-model.ts'

const asked: ServeWorkload = {
  ...{ mode: 'serve', promptLength: 2048, outputLength: 256 },
  ...{ disaggregated: false, cachedPrefixLength: 0 },
}

const answer = (constraints: Constraints, workload: ServeWorkload = asked) =>
  serve(inferenceProblem({ model: smallDense, chip: 'h100-sxm', chips: 4, workload, constraints }), solver)

it.each<[string, Constraints, Partial<ServeWorkload>]>([
  ['chips', { chips: 1 }, { requestsPerSecond: 200 }],
  ['chips', { chips: { max: 1 }, pipeline: 1 }, { requestsPerSecond: 200 }],
  ['tensor', { tensor: 1 }, { requestsPerSecond: 1, maxTimePerOutputTokenSeconds: 0.0015 }],
])('the constraint on %s is to blame where a deployment exists without it', (name, constraints, limits) => {
  const workload = { ...asked, ...limits }
  const { plans, infeasible } = answer(constraints, workload)
  expect(plans).toEqual([])
  const [first] = infeasible?.reasons ?? []
  expect(first?.reason).toBe('constraint')
  expect(first?.detail).toContain(`without the constraint on ${name} `)
  const lifted = infeasible?.suggestions.filter(({ pointer }) => pointer.startsWith('/constraints/'))
  expect(lifted?.map(({ pointer, value }) => [pointer, value])).toEqual([[`/constraints/${name}`, null]])
  const { [name as 'chips']: _lifted, ...others } = constraints
  expect(answer(others, workload).plans).not.toEqual([])
})

it('a rate is compared with what the chips sustain that the constraint allows', () => {
  const { infeasible } = answer({ chips: [1, 2, 8] }, { ...asked, requestsPerSecond: 1e6 })
  expect(infeasible?.reasons.map(({ reason }) => reason)).toEqual(['rate'])
  expect(infeasible?.reasons[0]?.detail).toContain('more than the 2 of 4 chips that the constraint on chips')
})

it.each<[string, Constraints, string, RegExp]>([
  ['deepseek-v3', { expert: 8 }, 'memory', /^the layout with the least memory needs/],
  [
    'llama-3-8b',
    { expert: 8 },
    'divisibility',
    /^\/constraints\/expert: a dense model has no experts to shard\. No/,
  ],
  [
    'llama-3-8b',
    { context: 2 },
    'divisibility',
    /context 2 is more than the 1 new position of a sequence in a step/,
  ],
])('of %s under %j no number of sequences is blamed, which a deployment chooses', (model, constraints, reason, says) => {
  const workload: ServeWorkload = asked
  const { infeasible } = serve(
    inferenceProblem({ model, chip: 'h100-sxm', chips: 8, workload, constraints }),
    solver,
  )
  const [first] = infeasible?.reasons ?? []
  expect([first?.reason, first?.detail]).toEqual([reason, expect.stringMatching(says)])
  expect(JSON.stringify(infeasible)).not.toMatch(/replicas are more/)
})

it('a memory budget that was found by trial is told as about what a plan needs', () => {
  const workload: ServeWorkload = { ...asked, requestsPerSecond: 5 }
  const short = inferenceProblem({ model: 'llama-3-70b', chip: 'h100-sxm', chips: 32, workload })
  const on = (memoryBudget: number) => serve({ ...short, memoryBudget }, solver)
  const suggested = on(short.memoryBudget * 0.05).infeasible?.suggestions ?? []
  const { value, detail } = suggested.find(({ pointer }) => pointer === '/memoryBudget') ?? {}
  expect(detail).toMatch(/; a plan needs about /)
  const { bytesPerChip } = value as { bytesPerChip: number }
  expect(on(bytesPerChip).plans).not.toEqual([])
  expect(on(bytesPerChip * 0.985).plans).toEqual([])
})
