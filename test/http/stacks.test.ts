import { describe, expect, it } from 'vitest'
import { assumptionsOf } from '../../api/translate/assumptions.ts'
import type { StackConstants } from '../../src/assumptions/stack.ts'
import { publishedRuns } from '../accuracy/run.ts'
import { counts } from '../accuracy/stack-of.ts'
import { catalogue } from './planners.ts'
import { planning } from './planning.ts'
import { question, service } from './service.ts'

const stacks = [...catalogue.stacks.values()]
const routed = new Set(publishedRuns('expert-training').map(({ id }) => id))
const rows = [...publishedRuns(), ...publishedRuns('expert-training')].filter(({ leftOut }) => !leftOut)
const plan = { mesh: { data: 32, tensor: 2 }, zeroStage: 1, microbatches: 16, rematerialization: 'none' }

/** Of a plan that tensor parallelism is part of, whose communication is waited for. */
async function evaluated(assumptions: unknown) {
  const { status, body } = await service({ search: planning })
    .post('/evaluate')
    .send({ ...question, plan, assumptions })
  expect(status).toBe(200)
  return body
}

describe('GET /stacks', () => {
  it('lists them, and gives each with the rows and sources behind its numbers', async () => {
    const { body } = await service().get('/stacks')
    expect(body.stacks.map(({ name }: { name: string }) => name)).toEqual(stacks.map(({ name }) => name))
    for (const stack of stacks) {
      expect((await service().get(`/stacks/${stack.name}`)).body).toEqual(stack)
    }
    const { status, body: problem } = await service().get('/stacks/megatron-core-hoper')
    expect(status).toBe(404)
    expect(problem.detail).toContain('megatron-core-hopper')
  })
})

describe.each(stacks)('the stack $name', (stack) => {
  it('is of chips that there are, one kind of them, and cites a source for each constant', () => {
    expect(stack.chips.map((name) => catalogue.chips.get(name)?.name)).toEqual(stack.chips)
    expect(new Set(stack.chips.map((name) => catalogue.chips.get(name)?.kind)).size).toBe(1)
    expect(Object.keys(stack.sources).sort()).toEqual(
      Object.keys(stack.constants)
        .map((name) => `/constants/${name}`)
        .sort(),
    )
  })

  it('was set on as many rows as are marked for it', () => {
    const own = rows.filter((row) => row.split === 'fit' && counts(stack, row, routed.has(row.id)))
    expect(own).toHaveLength(stack.fit.measurements)
    expect(new Set(own.map(({ id, group }) => group ?? id)).size).toBe(stack.fit.configurations)
    expect(stack.fit.medianError).toBeLessThanOrEqual(stack.fit.medianErrorBefore)
  })

  it('is the constants that it has, no more', () => {
    for (const name of stack.chips) {
      const chip = catalogue.chips.get(name)
      if (!chip) throw new RangeError(name)
      const of = (own: StackConstants & { readonly stack?: string }) =>
        assumptionsOf({ basis: 'calibrated', ...own }, chip, catalogue)
      expect(of({ stack: stack.name })).toEqual({ ...of(stack.constants), stack: stack.name })
      expect(of({ stack: stack.name, sustainedShare: 0.5 })).toEqual({
        ...of({ ...stack.constants, sustainedShare: 0.5 }),
        stack: stack.name,
      })
      expect(of({ stack: stack.framework })).toEqual(of({ stack: stack.name }))
      expect(of({ stack: 'none' })).toEqual(of({}))
    }
  })
})

describe('assumptions.stack', () => {
  it('answers what its constants spelled out answer, and repeats them', async () => {
    const { constants } = catalogue.stacks.get('megatron-core-hopper') ?? {}
    const named = await evaluated({ stack: 'Megatron-Core-Hopper' })
    expect(named.assumptions).toMatchObject(constants ?? {})
    const spelled = await evaluated({ stack: 'none', ...constants })
    expect(named.plan).toEqual(spelled.plan)
    expect(spelled.warnings).toEqual(named.warnings)
    const without = await evaluated({ stack: 'none' })
    expect(named.plan.stepTimeSeconds).not.toBe(without.plan.stepTimeSeconds)
  })

  it('is that of the chips where training names none, and says so', async () => {
    const named = await evaluated({ stack: 'megatron' })
    const usual = await evaluated('calibrated')
    expect(usual.assumptions).toEqual(named.assumptions)
    expect(usual.assumptions.stack).toBe('megatron-core-hopper')
    expect(usual.plan).toEqual(named.plan)
    expect(usual.warnings).toEqual([
      expect.stringMatching(/megatron-core-hopper.*assumptions.stack/),
      ...named.warnings,
    ])
  })

  it('is none where only frameworks may launch that have none there', async () => {
    const titan = await evaluated({ frameworks: ['torchtitan'] })
    expect(titan.assumptions.stack).toBe('none')
    expect(titan.warnings).toContainEqual(
      expect.stringMatching(/^no stack is known of torchtitan on h100-sxm: .*megatron-core-hopper/),
    )
    expect((await evaluated({ stack: 'torchtitan' })).assumptions.stack).toBe('none')
    expect((await evaluated('book')).assumptions.stack).toBe('none')
  })

  it('is told where the framework that it names has no constants there, and whose frameworks do not train', async () => {
    const none = await evaluated({ stack: 'none' })
    const titan = await evaluated({ stack: 'torchtitan' })
    expect(titan.plan).toEqual(none.plan)
    expect(titan.warnings).toEqual([
      expect.stringContaining('no constants of torchtitan on h100-sxm'),
      ...none.warnings,
    ])
    const served = await evaluated({ stack: 'none', frameworks: ['vllm'] })
    expect(served.warnings).toContainEqual(expect.stringContaining('vllm is not what trains a model'))
    const either = await evaluated({ stack: 'none', frameworks: ['vllm', 'megatron'] })
    expect(either.warnings.join()).not.toContain('not what trains')
  })

  it.each([
    [{ stack: 'megatron-core-hoper' }, /nearest are megatron-core-hopper/],
    [{ stack: 'maxtext-v6e' }, /not of h100-sxm.*megatron-core-hopper/],
    [{ basis: 'book', stack: 'megatron-core-hopper' }, /book/],
  ])('%j is refused', async (assumptions, detail) => {
    const { status, body } = await service({ search: planning })
      .post('/evaluate')
      .send({ ...question, plan, assumptions })
    expect(status).toBe(422)
    expect(body.errors[0]).toMatchObject({ pointer: '/assumptions/stack' })
    expect(body.errors[0].detail).toMatch(detail)
  })
})
