/** Comparisons over HTTP: the parts of a difference add up to it, and errors point to their place. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { compareRequest } from '../../../api/schemas/compare.ts'
import { evaluateRequest } from '../../../api/schemas/evaluate.ts'
import { compareBody, type Planner } from '../../../api/worker/comparison.ts'
import { evaluated, optimized } from '../../../api/worker/search-worker.ts'
import { memoryLines, timeLines } from '../../../src/plan/comparison.ts'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const generate = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 4 },
  workload: { mode: 'generate', batchSequences: 32, contextLength: 4096 },
}

const request = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 16 },
  workload: { mode: 'train', batchTokens: 524_288, sequenceLength: 4096 },
  constraints: { pipeline: 1, context: 1, tensor2: 1 },
}

interface Shown {
  readonly summary: string
  readonly stepTimeSeconds: number
  readonly timeSeconds: Readonly<Record<string, number>>
  readonly memoryBytes: Readonly<Record<string, number>>
}

interface Difference {
  readonly stepTimeSeconds: number
  readonly timeSeconds: Readonly<Record<string, number>>
  readonly memoryBytes: Readonly<Record<string, number>>
  readonly explanation: readonly string[]
}

interface Answer {
  readonly variants: readonly {
    readonly name: string
    readonly best: boolean
    readonly plan: Shown | null
    readonly noPlan: readonly string[]
    readonly difference: Difference | null
  }[]
}

async function compared(body: object, status = 200) {
  const response = await agent.post('/compare').send(body)
  expect(response.status, response.text.slice(0, 500)).toBe(status)
  return response.body
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

const plans = fc.constantFrom(
  { mesh: { fsdp: 16 } },
  { mesh: { fsdp: 8, tensor: 2 }, rematerialization: 'full' },
  { mesh: { data: 16 }, zeroStage: 1 },
  { mesh: { data: 2, tensor: 4, pipeline: 2 }, zeroStage: 1, microbatches: 8 },
)

describe('POST /compare', () => {
  it('splits the difference of two steps over lines that add up to it, and memory too', async () => {
    const pairs = fc.oneof(
      fc.tuple(fc.constant(request), plans, plans),
      fc.tuple(
        fc.constant(generate),
        fc.constant({ mesh: { tensor: 4 } }),
        fc.constant({ mesh: { data: 4 } }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(pairs, async ([common, first, second]) => {
        const { variants } = (await compared({
          request: common,
          variants: [{ plan: first }, { plan: second }],
        })) as Answer
        const [before, after] = variants
        const found = after?.difference
        if (!before?.plan || !after?.plan || !found) throw new Error('two plans')
        const step = after.plan.stepTimeSeconds - before.plan.stepTimeSeconds
        expect(found.stepTimeSeconds).toBeCloseTo(step, 12)
        const lines = timeLines.map((line) => found.timeSeconds[line] ?? Number.NaN)
        expect(sum(lines) / before.plan.stepTimeSeconds).toBeCloseTo(step / before.plan.stepTimeSeconds, 9)
        const total = found.memoryBytes.total ?? Number.NaN
        const bytes = memoryLines.map((line) => found.memoryBytes[line] ?? Number.NaN)
        const reserved = after.plan.memoryBytes.reserve ?? 0
        expect(Math.abs(sum(bytes) - total)).toBeLessThanOrEqual(1 + reserved)
      }),
      { numRuns: runs(4) },
    )
  })

  it('finds the best of two requests, and says what half of the network costs', async () => {
    const { variants } = (await compared({
      request: { ...request, plan: { mesh: { fsdp: 16 } } },
      variants: [{ name: 'today' }, { name: 'half the NICs', hardware: { nicGbps: 100 } }],
    })) as Answer
    expect(variants.map(({ name }) => name)).toEqual(['today', 'half the NICs'])
    const found = variants[1]?.difference
    expect(found?.stepTimeSeconds).toBeGreaterThan(0)
    expect(found?.explanation[0]).toMatch(
      /^half the NICs takes .* longer than today: \+.* waiting for communication/,
    )
    expect(found?.explanation).toContainEqual(
      expect.stringMatching(
        /^Communication over fsdp differs most: it takes .* longer, whether it is hidden or not\.$/,
      ),
    )
    const best = (await compared({
      request,
      variants: [{ name: 'the best' }, { name: 'ours', plan: { mesh: { tensor: 8, data: 2 } } }],
    })) as Answer
    expect(best.variants.map(({ best }) => best)).toEqual([true, false])
    expect(best.variants[1]?.difference?.stepTimeSeconds).toBeGreaterThanOrEqual(0)
  })

  it('tells why one of them has no plan', async () => {
    const { variants } = (await compared({
      request,
      variants: [
        { name: 'one', plan: { mesh: { fsdp: 16 } } },
        { name: 'none', constraints: { tensor: 1, data: 1 }, memoryBudget: { bytesPerChip: 1e8 } },
      ],
    })) as Answer
    expect(variants[1]).toMatchObject({ plan: null, difference: null })
    expect(variants[1]?.noPlan.join()).toMatch(/memory/)
  })

  it.each<[string, object, string]>([
    ['of one variant', { request, variants: [{}] }, '/variants'],
    [
      'in a variant',
      { request, variants: [{}, { hardware: { chip: 'h1000' } }] },
      '/variants/1/hardware/chip',
    ],
    ['in common', { request: { ...request, model: 'llama' }, variants: [{}, {}] }, '/request/model'],
    [
      'of two modes',
      { request, variants: [{}, { workload: { mode: 'serve' } }] },
      '/variants/1/workload/promptLength',
    ],
    ['of names', { request, variants: [{ name: 'a' }, { name: 'a' }] }, '/variants/1/name'],
    [
      'of a plan',
      { request, variants: [{}, { plan: { mesh: { tensor: 3 } } }] },
      '/variants/1/plan/mesh/tensor',
    ],
    [
      'that is missing of what is in common',
      { request: { ...request, hardware: { chip: { kind: 'gpu' }, chips: 16 } }, variants: [{}, {}] },
      '/request/hardware/chip/hbmBytes',
    ],
    [
      'of a plan that takes the place of another',
      { request: { ...request, plan: { mesh: { tensor: 3 } } }, variants: [{ plan: { zeroStage: 1 } }, {}] },
      '/variants/0/plan/mesh',
    ],
  ])('points at what is wrong %s', async (_, body, pointer) => {
    const response = await agent.post('/compare').send(body)
    expect([400, 422], response.text.slice(0, 300)).toContain(response.status)
    expect(response.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer)
  })

  it('suggests places of the comparison, not of the request that a variant makes', async () => {
    const workload = { mode: 'serve', promptLength: 512, outputLength: 128 }
    const variants = [{ plan: { mesh: { tensor: 8 } } }, {}]
    const { body } = await agent.post('/compare').send({ request: { ...request, workload }, variants })
    const place = '/variants/0/plan/generate/mesh'
    expect(body.errors).toEqual([
      {
        pointer: '/variants/0/plan/mesh',
        detail: `is not a known key; did you mean ${place}?`,
        suggestions: [place],
      },
    ])
  })
})

describe('what a plan gives away', () => {
  it('is what the best plan saves that the same frameworks launch: nothing of that itself', async () => {
    const asked = async (plan: object) =>
      (await agent.post('/evaluate').send({ ...request, regret: true, plan })).body
    const { regret, plan } = await asked({ mesh: { tensor: 8, data: 2 } })
    expect(regret.savesFraction).toBeCloseTo(1 - regret.best.stepTimeSeconds / plan.stepTimeSeconds, 12)
    expect(regret.savesFraction).toBeGreaterThan(0)
    expect(regret.frameworks.length).toBeGreaterThan(0)
    const again = await asked({ mesh: regret.best.mesh })
    expect(again.regret.savesFraction).toBeCloseTo(0, 6)
    expect(
      (await agent.post('/evaluate').send({ ...request, plan: { mesh: { fsdp: 16 } } })).body,
    ).not.toHaveProperty('regret')
  })
})

it('what all variants are warned of is told once, and what some are with these', async () => {
  const variants = [
    { plan: { mesh: { fsdp: 16 } } },
    { plan: { mesh: { tensor: 2, fsdp: 8 } } },
    { plan: { mesh: { tensor: 2, fsdp: 4 } } },
  ]
  const body = await compared({ request: { ...request, constraints: {} }, variants })
  const own = body.variants.map(({ warnings }: { warnings: readonly string[] }) => warnings)
  expect(body.warnings.length).toBeGreaterThan(0)
  for (const shared of body.warnings) for (const warnings of own) expect(warnings).not.toContain(shared)
  expect(own[0]).toEqual([])
  expect(own[2].join()).toContain('8 stay idle')
  const evaluated = await agent.post('/evaluate').send({ ...request, constraints: {}, ...variants[2] })
  expect([...own[2], ...body.warnings].sort()).toEqual([...evaluated.body.warnings].sort())
})

describe('costs side by side', () => {
  const warnings = async (one: object, other: object) => {
    const body = {
      request: { workload: request.workload, model: request.model, plan: { mesh: { fsdp: 16 } } },
      variants: [
        { name: 'one', hardware: { chips: 16, ...one } },
        { name: 'other', hardware: { chips: 16, ...other } },
      ],
    }
    return (await compared(body)).variants[1].warnings.filter((text: string) => /^costs are/.test(text))
  }

  it('that are of different sellers or days are told to be so, unless the request says the price', async () => {
    expect(await warnings({ chip: 'h100-sxm' }, { chip: 'mi325x' })).toEqual([
      expect.stringMatching(/10.8 USD .*on-demand price of Google Cloud.* 1.95 USD .*TensorWave/),
    ])
    expect(await warnings({ chip: 'h200-sxm' }, { chip: 'b200-sxm' })).toEqual([])
    expect(await warnings({ chip: 'h100-sxm' }, { chip: 'mi325x', usdPerHour: 2 })).toEqual([])
  })
})

describe('a comparison whose time is over', () => {
  it('goes on to no further variant, and says how many were costed', () => {
    let evaluations = 0
    const planner: Planner = {
      optimized,
      evaluated: (trial, patience) => {
        evaluations++
        return evaluated(trial, patience)
      },
    }
    const plans = [{ mesh: { fsdp: 16 } }, { mesh: { data: 16 } }, { mesh: { tensor: 8, data: 2 } }]
    const variants = plans.map((plan, at) => {
      return { name: `${at}`, request: evaluateRequest.parse({ ...request, plan }) }
    })
    const asked = compareRequest.parse({ request, variants: plans.map((plan) => ({ plan })) })
    const timeIsOver = () => () => evaluations >= 2
    const compared = () =>
      compareBody({ asked, variants, timeoutMs: 20 }, loadCatalogue(), planner, timeIsOver)
    expect(compared).toThrow(/2 of 3 variants were costed within 20 ms/)
    expect(evaluations).toBe(2)
  })
})

it('requests in a list are told to be variants', async () => {
  const { body } = await agent.post('/compare').send({ requests: [request, generate] })
  expect(JSON.stringify(body.errors)).toMatch(/did you mean variants\?/)
})
