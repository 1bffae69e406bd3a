/** How layers with experts are run where a request leaves that to its element types. */
import { describe, expect, it } from 'vitest'
import { secondsText } from '../../../src/plan/explain/figures.ts'
import { catalogue } from '../planners.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const stack = catalogue.stacks.get('megatron-core-nvl72')
const usualIn = (compute: 'fp8' | 'nvfp4' | 'bf16') =>
  stack?.expertRecipes?.find((recipe) => recipe.usualIn.includes(compute))?.name

async function asked(compute: string, change: object = {}) {
  const { status, text, body } = await service({ search: planning })
    .post('/evaluate')
    .send({
      model: 'kimi-k2',
      hardware: { chip: 'gb300-nvl72', chips: 576 },
      workload: { mode: 'train', batchTokens: 33_554_432, sequenceLength: 4096 },
      precision: { compute },
      plan: { mesh: { data: 9, expert: 64 }, zeroStage: 1 },
      ...change,
    })
  expect(status, text).toBe(200)
  const told = (body.warnings as readonly string[]).filter((text) => text.startsWith('layers with experts'))
  return { ...body, told, seconds: body.plan.stepTimeSeconds as number }
}

const as = (expertRecipe: string | undefined) => ({ assumptions: { expertRecipe } })

describe('where recipes of other types of few bits run experts faster', () => {
  it('an answer says what its plan would take so, and how to compare types alone', async () => {
    const usual = await asked('nvfp4')
    const other = await asked('nvfp4', as(usualIn('fp8')))
    expect(usual.assumptions.expertRecipe).toBe(usualIn('nvfp4'))
    expect(other.seconds).toBeLessThan(usual.seconds)
    expect(usual.told).toEqual([
      `layers with experts are costed as "graphed", the usual way in nvfp4; as "captured", the usual way in fp8, the plan would take ${secondsText(other.seconds)} a step, not ${secondsText(usual.seconds)}: to compare element types alone, name assumptions.expertRecipe`,
    ])
  })

  it('fewer bits are no slower, once both are run the same way', async () => {
    for (const recipe of [usualIn('fp8'), usualIn('nvfp4')]) {
      const [wider, narrower] = [await asked('fp8', as(recipe)), await asked('nvfp4', as(recipe))]
      expect(narrower.seconds).toBeLessThan(wider.seconds)
    }
  })

  it('a list of plans says so too', async () => {
    const { body } = await service({ search: planning })
      .post('/optimize')
      .send({
        model: 'qwen3-30b-a3b',
        hardware: { chip: 'gb200-nvl72', chips: 8 },
        workload: { mode: 'train', batchTokens: 1_048_576, sequenceLength: 4096 },
        precision: { compute: 'nvfp4' },
        top: 1,
      })
    expect(body.warnings).toContainEqual(
      expect.stringContaining('as "captured", the usual way in fp8, the best plan would take'),
    )
  })
})

describe('nothing is said of other ways', () => {
  it.each([
    ['where they are slower', 'fp8', {}],
    ['where matmuls run in 16 bits', 'bf16', {}],
    ['where the request says how', 'nvfp4', as('graphed')],
    ['where no stack is asked for', 'nvfp4', { assumptions: { stack: 'none' } }],
    ['where a dense model is trained', 'nvfp4', { model: 'llama-3.1-70b', plan: { mesh: { fsdp: 576 } } }],
  ] as const)('%s', async (_, compute, change) => {
    expect((await asked(compute, change)).told).toEqual([])
  })
})

describe('a model without experts', () => {
  it('is answered without a way to run them', async () => {
    const { assumptions } = await asked('fp8', { model: 'llama-3.1-70b', plan: { mesh: { fsdp: 576 } } })
    expect(assumptions).toMatchObject({
      stack: 'megatron-core-nvl72',
      expertRecipe: 'unstated',
      overlapDispatch: 0,
    })
  })
})
