/** The figures that docs/inference.md tells of its first request of generation are those of the answer. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

it('what is told of generation on 16 v5e is what the service answers', async () => {
  const [, section = ''] = readFileSync('docs/inference.md', 'utf8').split('\n## Generation\n')
  const request = /-d '(\{[\s\S]*?\})'/.exec(section)?.[1] ?? ''
  const told = (section.split('\n\n').find((text) => text.startsWith('The first plan')) ?? '').replaceAll(
    '\n',
    ' ',
  )
  const { plans, pareto, unlaunchable } = (
    await service({ search: planning }).post('/optimize').send(JSON.parse(request))
  ).body
  const [best] = plans
  expect(best.summary).toMatch(/^data 2 x tensor 8, attention 1d/)
  expect(told).toContain('`data 2 x tensor 8`, all in layout `1d`')
  const milliseconds = Math.round(1000 * best.stepTimeSeconds)
  expect(told).toContain(`holds ${best.batchSequences} sequences at ${milliseconds} ms a token`)
  expect(best.bottleneck).toBe('hbm')
  expect([pareto[0].batchSequences, pareto.at(-1).batchSequences]).toEqual([2, best.batchSequences])
  expect(told).toContain(`from two sequences to ${best.batchSequences};`)
  const { plan, advantage } = unlaunchable
  expect(plan.summary).toMatch(/^tensor 8 x tensor2 2, attention 2d\/heads-batch/)
  expect(told).toContain('attention in `2d/heads-batch` on `tensor 8 x tensor2 2`')
  expect(told).toContain(
    `hold ${plan.batchSequences} sequences and make ${advantage.toFixed(2)} times as many`,
  )
  expect(plan.tokensPerSecond / best.tokensPerSecond).toBeCloseTo(advantage, 6)
})
