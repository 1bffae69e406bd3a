import { describe, expect, it } from 'vitest'
import { assumptionsOf } from '../../../api/translate/assumptions.ts'
import type { StackConstants } from '../../../src/assumptions/stack.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import type { ExpertRecipeName } from '../../../src/recipe/expert-recipes.ts'
import { servedRows } from '../../accuracy/inference/served-rows.ts'
import { counts, countsFor } from '../../accuracy/stack-of.ts'
import { configurationOf } from '../../accuracy/training/outcomes.ts'
import { type PublishedRun, publishedRuns } from '../../accuracy/training/run.ts'
import { problem } from '../../problem.ts'
import { catalogue } from '../planners.ts'
import { planning } from '../planning.ts'
import { question, service } from '../service.ts'

const stacks = [...catalogue.stacks.values()]
const isFor = ({ leftOut, split }: PublishedRun) => !leftOut && split === 'fit'
const dense = publishedRuns().filter(isFor)
const routed = publishedRuns('expert-training').filter(isFor)
type Named = StackConstants & { readonly stack?: string; readonly expertRecipe?: ExpertRecipeName }

const plan = { mesh: { data: 32, tensor: 2 }, zeroStage: 1, microbatches: 16, rematerialization: 'none' }

const mixture = problem({
  model: 'qwen3-30b-a3b',
  chip: 'h100-sxm',
  chips: 8,
  batchTokens: 65_536,
  sequenceLength: 8192,
})

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
      [
        ...Object.keys(stack.constants).map((name) => `/constants/${name}`),
        ...(stack.expertRecipes ?? []).map((_, at) => `/expertRecipes/${at}`),
      ].sort(),
    )
  })

  it('was set on as many rows as are marked for it', () => {
    const were = (own: readonly PublishedRun[], fit: { measurements: number; configurations: number }) => {
      expect(own).toHaveLength(fit.measurements)
      expect(new Set(own.map(configurationOf)).size).toBe(fit.configurations)
    }
    if (stack.runs === 'inference') expect(servedRows(stack)).toHaveLength(stack.fit.measurements)
    else {
      were(
        dense.filter((row) => counts(stack, row)),
        stack.fit,
      )
    }
    expect(stack.fit.medianError).toBeLessThanOrEqual(stack.fit.medianErrorBefore)
    for (const recipe of stack.expertRecipes ?? []) {
      were(
        routed.filter((row) => countsFor(stack, recipe, stacks, row)),
        recipe.fit,
      )
    }
  })

  it('is the constants that it has, no more', () => {
    for (const name of stack.chips) {
      const chip = catalogue.chips.get(name)
      if (!chip) throw new RangeError(name)
      const of = (own: Named, compute?: ElementType) =>
        assumptionsOf(
          { basis: 'calibrated', ...own },
          chip,
          catalogue,
          compute && { ...mixture, runs: stack.runs, precision: { ...mixture.precision, compute } },
        )
      const bare = { stack: stack.name, expertRecipe: 'unstated' } as const
      expect(of(bare)).toEqual({ ...of(stack.constants), stack: stack.name })
      expect(of({ ...bare, sustainedShare: 0.5 })).toEqual({
        ...of({ ...stack.constants, sustainedShare: 0.5 }),
        stack: stack.name,
      })
      for (const { name: expertRecipe, constants, usualIn } of stack.expertRecipes ?? []) {
        const asked = of({ stack: stack.name, expertRecipe })
        expect(asked).toEqual({ ...of({ ...bare, ...constants }), expertRecipe })
        for (const compute of usualIn) expect(of({}, compute)).toEqual(asked)
      }
      if (stack.framework) expect(of({ stack: stack.framework })).toEqual(of({ stack: stack.name }))
      expect(of({ stack: 'none' })).toEqual(of({}))
    }
  })
})

describe('assumptions.stack', () => {
  it('answers what its constants spelled out answer, and repeats them', async () => {
    const { constants } = catalogue.stacks.get('megatron-core-hopper') ?? {}
    const named = await evaluated({ stack: 'Megatron-Core-Hopper' })
    expect(named.assumptions).toMatchObject({ ...constants })
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
    // Runs whose software is named are predicted better than those where it is taken to be the usual one.
    const { uncertainty, lowerBoundSeconds, upperBoundSeconds } = named.plan
    expect({ ...usual.plan, uncertainty, lowerBoundSeconds, upperBoundSeconds }).toEqual(named.plan)
    expect(usual.plan.uncertainty.basis.regime).toContain('no software was named')
    expect(usual.warnings).toEqual([
      expect.stringMatching(/megatron-core-hopper.*assumptions.stack/),
      ...named.warnings,
    ])
  })

  it('is none where only frameworks may launch that have none there', async () => {
    const titan = await evaluated({ frameworks: ['torchtitan'] })
    expect(titan.assumptions.stack).toBe('none')
    expect(titan.warnings).toContainEqual(
      expect.stringMatching(/^no stack is known for torchtitan on h100-sxm: .*megatron-core-hopper/),
    )
    expect((await evaluated({ stack: 'torchtitan' })).assumptions.stack).toBe('none')
    expect((await evaluated('book')).assumptions.stack).toBe('none')
  })

  it('is none of inference unless it is named or one framework alone may serve, and none of training', async () => {
    const workload = { mode: 'generate', batchSequences: 8, contextLength: 4096 }
    const asked = { ...question, workload, plan: { mesh: { tensor: 8, data: 8 } } }
    const of = async (assumptions: unknown) => {
      const { status, body } = await service({ search: planning })
        .post('/evaluate')
        .send({ ...asked, assumptions })
      return { status, ...body }
    }
    const usual = await of('calibrated')
    expect(usual.assumptions.stack).toBe('none')
    const named = await of({ stack: 'tensorrt-llm' })
    expect(named.assumptions).toMatchObject(catalogue.stacks.get('tensorrt-llm-2025')?.constants ?? {})
    expect(named.plan.stepTimeSeconds).toBeLessThan(usual.plan.stepTimeSeconds)
    const alone = await of({ frameworks: ['tensorrt-llm', 'megatron'] })
    expect(alone.assumptions.stack).toBe('tensorrt-llm-2025')
    expect(alone.plan.stepTimeSeconds).toBe(named.plan.stepTimeSeconds)
    const trains = await of({ stack: 'megatron-core-hopper' })
    expect(trains.status).toBe(422)
    expect(trains.errors[0].detail).toMatch(/for training.*vllm-2025/)
  })

  it('is told where the framework that it names has no constants there, and whose frameworks do not train', async () => {
    const none = await evaluated({ stack: 'none' })
    const titan = await evaluated({ stack: 'torchtitan' })
    expect(titan.plan).toEqual(none.plan)
    expect(titan.warnings).toEqual([
      expect.stringContaining('no constants for torchtitan on h100-sxm'),
      ...none.warnings,
    ])
    const served = await evaluated({ stack: 'none', frameworks: ['vllm'] })
    expect(served.warnings).toContainEqual(expect.stringContaining('vllm is not what trains a model'))
    const [open, server] = [await evaluated({}), await evaluated({ frameworks: ['vllm'] })]
    expect(server.assumptions).toEqual({ ...open.assumptions, frameworks: ['vllm'] })
    expect(server.plan.timeSeconds).toEqual(open.plan.timeSeconds)
    const either = await evaluated({ stack: 'none', frameworks: ['vllm', 'megatron'] })
    expect(either.warnings.join()).not.toContain('not what trains')
  })

  it('refuses ways to run experts that a stack has no constants of, and names those it has', async () => {
    const { status, body } = await service({ search: planning })
      .post('/evaluate')
      .send({ ...question, plan, assumptions: { expertRecipe: 'captured' } })
    expect(status).toBe(422)
    expect(body.errors[0]).toMatchObject({ pointer: '/assumptions/expertRecipe' })
    expect(body.errors[0].detail).toMatch(/megatron-core-hopper .*captured.*flex.*graphed/)
  })

  it.each([
    [{ stack: 'megatron-core-hoper' }, /nearest are megatron-core-hopper/],
    [{ stack: 'maxtext-v6e' }, /no constants for h100-sxm.*megatron-core-hopper/],
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
