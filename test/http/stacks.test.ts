import { describe, expect, it } from 'vitest'
import { assumptionsOf } from '../../api/translate/assumptions.ts'
import type { StackConstants } from '../../src/stack.ts'
import { publishedRuns } from '../accuracy/run.ts'
import { fittedBy } from '../accuracy/stack-of.ts'
import { catalogue } from './planners.ts'
import { planning } from './planning.ts'
import { question, service } from './service.ts'

const stacks = [...catalogue.stacks.values()]
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
    const own = rows.filter((row) => row.split === 'fit' && fittedBy(stack, row))
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
      expect(of({ stack: stack.name })).toEqual(of(stack.constants))
      expect(of({ stack: stack.name, sustainedShare: 0.5 })).toEqual(
        of({ ...stack.constants, sustainedShare: 0.5 }),
      )
    }
  })
})

describe('assumptions.stack', () => {
  it('answers what its constants spelled out answer, and repeats them', async () => {
    const { constants } = catalogue.stacks.get('megatron-core-hopper') ?? {}
    const named = await evaluated({ stack: 'Megatron-Core-Hopper' })
    expect(named.assumptions).toMatchObject(constants ?? {})
    expect(named.plan).toEqual((await evaluated(constants)).plan)
    expect(named.plan.stepTimeSeconds).not.toBe((await evaluated('calibrated')).plan.stepTimeSeconds)
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
