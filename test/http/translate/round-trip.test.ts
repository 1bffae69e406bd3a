/** Plans of an answer can be sent to /evaluate unchanged. */
import { describe, expect, it } from 'vitest'
import { changed as changedBy } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const train = { mode: 'train', batchTokens: 1_048_576, sequenceLength: 4096 }
const tpu = { chip: 'tpu-v5p', topology: [4, 4, 4] }
const gpus = { chip: 'h100-sxm', chips: 64 }

const questions = {
  'dense on GPUs': { model: 'llama-3-8b', hardware: gpus, workload: train },
  'a pipeline on GPUs': {
    model: 'llama-3-70b',
    hardware: { chip: 'a100-80g-sxm', chips: 64 },
    workload: train,
    constraints: { pipeline: { min: 2 } },
  },
  'a pipeline inside and outside of data': {
    model: 'llama-3-8b',
    hardware: gpus,
    workload: { ...train, schedule: ['interleaved-1f1b', 'zb-h1', 'dualpipe'] },
    constraints: { pipeline: 4, tensor: 2 },
  },
  'dense on a torus': { model: 'llama-3-8b', hardware: tpu, workload: train },
  'slices over DCN': {
    model: 'llama-3-8b',
    hardware: { chip: 'tpu-v5e', topology: [4, 8], slices: 4 },
    workload: train,
  },
  'layers and tokens that divide freely': {
    model: 'llama-3-8b',
    hardware: { ...tpu, topology: [2, 2, 4] },
    workload: { ...train, batchTokens: 3_000_000 },
    assumptions: 'book',
  },
  'a batch that is padded': {
    model: 'llama-3-8b',
    hardware: gpus,
    workload: { ...train, batchTokens: 1_000_000 },
  },
  'layers that are recomputed': {
    model: 'llama-3-70b',
    hardware: gpus,
    workload: { ...train, sequenceLength: 8192 },
    constraints: { pipeline: 1 },
  },
  experts: {
    model: 'mixtral-8x7b',
    hardware: gpus,
    workload: train,
    constraints: { expert: { min: 2 } },
  },
  'a context axis': {
    model: 'llama-3-8b',
    hardware: gpus,
    workload: { ...train, sequenceLength: 131_072 },
    constraints: { context: { min: 2 } },
  },
  generation: {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { mode: 'generate', batchSequences: 32, contextLength: 8192 },
  },
  'generation of as many as fit, on a torus': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: { mode: 'generate', batchSequences: 'max', contextLength: 8192 },
    precision: { weights: 'int8', kvCache: 'int8' },
  },
  'generation with experts': {
    model: 'mixtral-8x7b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { mode: 'generate', batchSequences: 64, contextLength: 4096, maxStepSeconds: 0.1 },
  },
  'prefill on GPUs': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { mode: 'prefill', batchSequences: 4, promptLength: 8192 },
  },
  'prefill in a pipeline on a torus': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: { mode: 'prefill', batchSequences: 8, promptLength: 4096 },
    constraints: { pipeline: { min: 2 } },
  },
  'prefill over context': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { mode: 'prefill', batchSequences: 1, promptLength: 65_536 },
    constraints: { context: { min: 2 } },
    // No server shares out a prompt's positions as the plan does.
    assumptions: { basis: 'calibrated', frameworks: [] },
  },
}

const asked = { mode: 'serve', promptLength: 1024, outputLength: 128 }

/** Deployments: with a rate and limits, and of a pool that is filled; apart, and both phases in one server. */
const served = {
  'at a rate, on GPUs': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { ...asked, requestsPerSecond: 8, maxTimeToFirstTokenSeconds: 1 },
    precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
  },
  'both phases in one server, with a limit for tokens': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 4 },
    workload: { ...asked, disaggregated: false, maxTimePerOutputTokenSeconds: 0.02 },
  },
  'slices of a torus, with what no framework launches': {
    model: 'llama-3-8b',
    hardware: { chip: 'tpu-v5e', topology: [2, 4] },
    workload: asked,
  },
  'on servers that have room for unequally many': {
    model: 'gpt-oss-120b',
    hardware: { chip: 'b200-sxm', chips: 24 },
    workload: {
      ...{ mode: 'serve', promptLength: 500, outputLength: 20 },
      ...{ maxTimePerOutputTokenSeconds: 0.03, maxTimeToFirstTokenSeconds: 10 },
    },
  },
  experts: {
    model: 'mixtral-8x7b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { ...asked, requestsPerSecond: 4 },
  },
}

interface Answered {
  readonly summary: string
  readonly stepTimeSeconds: number
  readonly memoryBytes: { readonly total: number }
  readonly memoryPolicy?: { readonly relaxedStepTimeSeconds: number; readonly secondsPerByte: number } | null
}

interface Point {
  readonly summary: string
  readonly chips: number
  readonly chipSecondsPerToken: number
}

async function posted(path: string, body: object) {
  return service({ search: planning })
    .post(path)
    .send({ timeoutMs: 60_000, ...body })
}

async function plansOf(body: object): Promise<readonly Answered[]> {
  const answer = await posted('/optimize', { ...body, top: 6 })
  expect(answer.status, answer.text).toBe(200)
  const { plans, pareto = [], infeasible } = answer.body
  const nearest = infeasible?.nearest ? [infeasible.nearest.plan] : []
  for (const { plan, ...point } of pareto.slice(0, 8)) await expectPoint(body, plan, point)
  return [...plans, ...nearest]
}

/** The sketch of a point on the frontier gives all of its numbers again. */
async function expectPoint(
  body: object,
  plan: object,
  { chips: _replica, chipSecondsPerToken, ...point }: Point,
) {
  const evaluated = await posted('/evaluate', { ...body, plan })
  expect(evaluated.status, `${point.summary}: ${evaluated.text.slice(0, 600)}`).toBe(200)
  expect(evaluated.body.plan).toMatchObject({ ...point, feasible: true })
  expect(evaluated.body.plan.tokensPerSecondPerChip * chipSecondsPerToken).toBeCloseTo(1, 12)
}

async function expectSame(body: object, plan: Answered) {
  const evaluated = await posted('/evaluate', { ...body, plan })
  expect(evaluated.status, `${plan.summary}: ${evaluated.text.slice(0, 600)}`).toBe(200)
  const { stepTimeSeconds, memoryBytes, memoryPolicy } = evaluated.body.plan
  expect(stepTimeSeconds / plan.stepTimeSeconds, plan.summary).toBeCloseTo(1, 9)
  expect(memoryBytes.total / plan.memoryBytes.total, plan.summary).toBeCloseTo(1, 9)
  // Only a first plan's choice is proven.
  if (!plan.memoryPolicy) return
  const { relaxedStepTimeSeconds, secondsPerByte } = plan.memoryPolicy
  expect(memoryPolicy.relaxedStepTimeSeconds / relaxedStepTimeSeconds, plan.summary).toBeCloseTo(1, 9)
  expect(memoryPolicy.secondsPerByte, plan.summary).toBeCloseTo(secondsPerByte, 18)
}

describe('every plan of an answer evaluates as it stands, to the same time and memory', () => {
  it.each(Object.entries(questions))('%s', async (_name, body) => {
    const plans = await plansOf(body)
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) await expectSame(body, plan)
  })

  it.each([
    ['training', { model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 8 }, workload: train }],
    [
      'generation',
      {
        model: 'llama-3-70b',
        hardware: { chip: 'h100-sxm', chips: 8 },
        workload: { mode: 'generate', batchSequences: 300, contextLength: 8192 },
      },
    ],
    [
      'prefill',
      {
        model: 'llama-3-70b',
        hardware: { chip: 'tpu-v5e', topology: [2, 4] },
        workload: { mode: 'prefill', batchSequences: 8, promptLength: 4096 },
      },
    ],
  ])('the nearest plan of %s that fits nowhere, too', async (_name, body) => {
    const plans = await plansOf(body)
    expect(plans).toHaveLength(1)
    for (const plan of plans) await expectSame(body, plan)
  })
})

describe('what a plan says twice has to agree', () => {
  const { workload, model, hardware } = questions['a pipeline inside and outside of data']
  const gpu = { model, hardware, workload: { ...workload, schedule: ['1f1b'] } }
  const mesh = { pipeline: 4, tensor: 2, data: 8 }
  const slices = questions['slices over DCN']
  const crossing = { data: 4, fsdp: 32 }
  const generation = questions.generation
  const ici = { axis: 'fsdp', physical: [0, 1] }

  it.each([
    [gpu, { mesh, microbatches: 4, microbatchTokens: 4096 }, '/plan/microbatchTokens'],
    [gpu, { mesh, stageLayers: [16, 16] }, '/plan/stageLayers'],
    [gpu, { mesh, stageLayers: [8, 8, 8, 9] }, '/plan/stageLayers'],
    [gpu, { mesh, placement: [{ axis: 'data', physical: [3] }] }, '/plan/placement/0/physical'],
    [gpu, { mesh, placement: [{ axis: 'tensor', physical: [0], on: 'ici' }] }, '/plan/placement/0/on'],
    [gpu, { mesh, batchSequences: 4 }, '/plan/batchSequences'],
    [gpu, { mesh: { data: 64 }, zeroStage: 3 }, '/plan/zeroStage'],
    [slices, { mesh: { fsdp: 128 }, placement: [{ ...ici, on: 'ici' }] }, '/plan/placement'],
    [slices, { mesh: crossing, placement: [{ ...ici, wraps: true }] }, '/plan/placement/0/wraps'],
    [slices, { mesh: crossing, placement: [{ ...ici, parts: [] }] }, '/plan/placement/0/parts'],
    [generation, { mesh: { tensor: 8 }, microbatches: 3 }, '/plan/microbatches'],
    [generation, { mesh: { tensor: 8 }, microbatchTokens: 31 }, '/plan/microbatchTokens'],
    [
      generation,
      { mesh: { tensor: 8 }, layout: { components: { mlp: '3d' } } },
      '/plan/layout/components/mlp',
    ],
    [questions['prefill on GPUs'], { mesh: { tensor: 16 }, batchSequences: 5 }, '/plan/batchSequences'],
  ])('%#: a 422 points at what does not', async (body, plan, pointer) => {
    const { status, body: problem, text } = await posted('/evaluate', { ...body, constraints: {}, plan })
    expect(status, text.slice(0, 600)).toBe(422)
    expect(problem.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer])
  })

  it('and the placement that is named is the one that is costed', async () => {
    const expectCosted = async (physical: number) => {
      const placement = [{ axis: 'pipeline', physical: [physical] }]
      const plan = { mesh: { pipeline: 2, fsdp: 8 }, placement }
      const body = { ...questions['dense on a torus'], hardware: { chip: 'tpu-v5p', topology: [2, 2, 4] } }
      const answer = await posted('/evaluate', { ...body, plan })
      expect(answer.status, answer.text.slice(0, 600)).toBe(200)
      const found = answer.body.plan.placement.find(({ axis }: { axis: string }) => axis === 'pipeline')
      expect(found.physical).toEqual([physical])
    }
    await expectCosted(2)
    await expectCosted(1)
  })

  it('behind switches too, where rank orders span other tiers', async () => {
    for (const physical of [[0, 1], [1]]) {
      const plan = { mesh: { tensor: 4, pipeline: 4, data: 4 }, placement: [{ axis: 'data', physical }] }
      const answer = await posted('/evaluate', { ...gpu, plan })
      expect(answer.status, answer.text.slice(0, 600)).toBe(200)
      expect(answer.body.plan.placement).toContainEqual(expect.objectContaining({ axis: 'data', physical }))
    }
  })
})

describe('every deployment of an answer evaluates as it stands, to the same numbers', () => {
  it.each(Object.entries(served))('%s', async (_name, body) => {
    const answer = await posted('/optimize', { ...body, top: 3 })
    expect(answer.status, answer.text).toBe(200)
    const { plans, unlaunchable } = answer.body
    const all = [...plans, ...(unlaunchable ? [unlaunchable.plan] : [])]
    expect(all.length).toBeGreaterThan(0)
    for (const { rank, explanation, ...plan } of all) {
      const evaluated = await posted('/evaluate', { ...body, plan })
      expect(evaluated.status, evaluated.text.slice(0, 600)).toBe(200)
      const { rank: _, explanation: again, ...same } = evaluated.body.plan
      // Ranks of its phases, and what it is beside the first, are those of its list.
      expect(unranked(same)).toEqual(unranked(plan))
      // What the other kind takes, with phases together or apart, is found for the first alone.
      const found = explanation.filter((sentence: string) => !again.includes(sentence))
      expect(again).toEqual(explanation.filter((sentence: string) => !found.includes(sentence)))
      expect(found.length).toBeLessThanOrEqual(rank === 1 ? 1 : 0)
    }
  })

  it.each([
    'vllm',
    'sglang',
    'tensorrt-llm',
  ] as const)('and its command of %s is read as it, and written again', async (framework) => {
    const body = served['both phases in one server, with a limit for tokens']
    const { plans } = (await posted('/optimize', { ...body, top: 2 })).body
    for (const { launch, ...plan } of plans) {
      const { command, files } = launch.commands[framework]
      const [file] = files
      const key = framework === 'tensorrt-llm' ? 'tensorrtLlm' : framework
      const read = { [key]: file ? { command, config: file.text } : command }
      const { body: again, status } = await posted('/evaluate', { ...body, plan: read })
      expect(status, JSON.stringify(again).slice(0, 600)).toBe(200)
      expect(again.read.notUnderstood).toEqual([])
      expect(again.plan).toMatchObject({
        ...{ disaggregated: false, chips: plan.chips, maxSequences: plan.maxSequences },
        generate: { mesh: plan.generate.mesh, layout: { components: plan.generate.layout.components } },
      })
      expect(withoutShares(again.plan.launch.commands[framework])).toEqual(
        withoutShares(launch.commands[framework]),
      )
    }
  })

  it('and is valid, with the requirements that a deployment may have', async () => {
    const body = served['at a rate, on GPUs']
    const { plans } = (await posted('/optimize', { ...body, top: 1 })).body
    const require = { withinOfBest: 0.001, launchableBy: ['vllm'] }
    const { body: found } = await posted('/validate', { ...body, plan: plans[0], require })
    expect(found.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ['legal', true],
      ['fits', true],
      ['withinOfBest', true],
      ['launchableBy', true],
    ])
    const { requestsPerSecond: _, ...workload } = body.workload as { readonly requestsPerSecond?: number }
    const [{ disaggregated, prefill, generate }] = plans
    const plan = {
      ...{ disaggregated, maxSequences: 2 },
      ...{ prefill: { mesh: prefill.mesh }, generate: { mesh: generate.mesh } },
    }
    const capped = await posted('/validate', { ...body, workload, plan, require: { withinOfBest: 0.001 } })
    const said = capped.body.checks.find(({ name }: { name: string }) => name === 'withinOfBest')
    expect(said).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        / take at most 2 sequences at once \(maxSequences\), those of the best /,
      ),
    })
  })

  it('and compares, with the best of another request', async () => {
    const { workload, ...request } = served['at a rate, on GPUs']
    const { plans } = (await posted('/optimize', { ...request, workload, top: 1 })).body
    const variants = [{ plan: plans[0] }, { workload: { requestsPerSecond: 16 } }]
    const { body } = await posted('/compare', { request: { ...request, workload }, variants })
    expect(body.mode).toBe('serve')
    expect(body.variants[1].difference.chips).toBe(body.variants[1].plan.chips - plans[0].chips)
    expect(body.variants[1].difference.chips).toBeGreaterThan(0)
  })
})

/** Of memory: what caches leave follows from how many prompts are read together, which no command says. */
function withoutShares(start: object): string {
  return JSON.stringify(start).replaceAll(
    /(--mem-fraction-static|free_gpu_memory_fraction\W+) ?0\.\d+/g,
    '$1',
  )
}

interface Ranked {
  readonly prefill: object
  readonly generate: object
}

function unranked({ prefill, generate, ...plan }: Ranked): object {
  return { ...plan, againstFirst: null, prefill: { ...prefill, rank: 0 }, generate: { ...generate, rank: 0 } }
}

describe('a deployment that misses what is asked', () => {
  const { workload, ...request } = served['at a rate, on GPUs']
  const few = {
    disaggregated: false,
    generate: { mesh: { tensor: 4 }, instances: 1 },
  }
  const reasonsOf = async (change: object, plan: object = few) => {
    const { body } = await posted('/evaluate', { ...request, workload: { ...workload, ...change }, plan })
    const reasons = (body.plan.infeasible ?? []).map(({ pointer }: { pointer: string }) => pointer)
    for (const { pointer, value, also = [] } of body.suggestions ?? []) {
      const mended = changedBy({ ...request, workload: { ...workload, ...change }, plan }, [
        { pointer, value },
        ...also,
      ])
      const again = await posted('/evaluate', mended as object)
      expect(again.body.plan.feasible, pointer).toBe(true)
    }
    return [body.plan.feasible, reasons]
  }

  it('says what it misses, and each suggestion is enough', async () => {
    expect(await reasonsOf({ requestsPerSecond: 1 })).toEqual([true, []])
    expect(await reasonsOf({ requestsPerSecond: 1000 })).toEqual([
      false,
      expect.arrayContaining(['/workload/requestsPerSecond']),
    ])
    expect(await reasonsOf({ requestsPerSecond: 1, maxTimeToFirstTokenSeconds: 0.01 })).toEqual([
      false,
      ['/workload/maxTimeToFirstTokenSeconds'],
    ])
    expect(await reasonsOf({ requestsPerSecond: 1, maxTimePerOutputTokenSeconds: 0.001 })).toEqual([
      false,
      expect.arrayContaining(['/workload/maxTimePerOutputTokenSeconds']),
    ])
  })

  it('has all its numbers where not one sequence fits', async () => {
    const { body } = await posted('/evaluate', {
      ...{ ...request, precision: {}, workload: { ...workload, requestsPerSecond: 1 } },
      plan: { disaggregated: false, generate: { mesh: {} } },
    })
    const [memory] = body.plan.infeasible
    expect(memory).toMatchObject({ reason: 'memory', pointer: '/memoryBudget' })
    const { total, budget } = body.plan.generate.memoryBytes
    expect(memory.shortBytes).toBeGreaterThanOrEqual(total - budget)
    expect(body.plan.timePerOutputTokenSeconds).toBeGreaterThan(0)
  })

  it('is told the longest request that the workload says, and predicted as without', async () => {
    const longest = { ...workload, contextLength: 16_384 }
    for (const disaggregated of [true, false]) {
      const asked = (own: object) =>
        posted('/optimize', { ...request, workload: { ...own, disaggregated }, top: 1 })
      const [{ body: usual }, { body: long }] = [await asked(workload), await asked(longest)]
      const [[plan], [same]] = [long.plans, usual.plans]
      expect([plan.contextLength, plan.requestsPerSecond]).toEqual([16_384, same.requestsPerSecond])
      const told = disaggregated ? [plan.prefill.launch, plan.generate.launch] : [plan.launch]
      for (const { commands } of told) {
        expect(commands.vllm.command).toContain(' --max-model-len 16384 ')
        expect(commands.sglang.command).toMatch(/ --context-length 16(384|389) /)
        expect(commands['tensorrt-llm'].files[0].text).toMatch(/"max_seq_len": 16384,/)
      }
      const { body: again } = await posted('/evaluate', {
        ...request,
        workload: { ...workload, disaggregated },
        plan,
      })
      expect(again.plan.launch).toEqual(plan.launch)
    }
    const few = { ...request, workload: { ...workload, contextLength: 100 }, top: 1 }
    const { status, body } = await posted('/optimize', few)
    expect([status, body.errors[0].pointer]).toEqual([422, '/workload/contextLength'])
  })

  it.each([
    [{ generate: { mesh: { tensor: 3 } } }, '/plan/generate/mesh/tensor'],
    [{ generate: { mesh: { tensor: 32 } } }, '/plan/generate/mesh'],
    [{ generate: { mesh: { tensor: 4 }, instances: 9 } }, '/plan/generate/instances'],
    [{ prefill: { mesh: { tensor: 4 } }, generate: { mesh: { tensor: 8 } } }, '/plan/prefill/mesh'],
    [{ contextLength: 1000 }, '/plan/contextLength'],
    [
      { generate: { mesh: { tensor: 4 }, layout: { attention: '1d/heads/absorbed' } } },
      '/plan/generate/layout/attention',
    ],
  ])('%j is a 422 that points at %s', async (plan, pointer) => {
    const body = { ...request, workload, plan: { disaggregated: false, ...plan } }
    const { status, body: problem } = await posted('/evaluate', body)
    expect(status).toBe(422)
    expect(problem.errors[0].pointer).toBe(pointer)
  })
})
