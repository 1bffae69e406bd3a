/** Every suggestion for a problem where nothing fits, applied to the request, makes it fit. */
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const train = { mode: 'train', batchTokens: 1_048_576, sequenceLength: 4096 }
const long = { mode: 'generate', batchSequences: 8, contextLength: 8192 }
const serve = { mode: 'serve', promptLength: 2048, outputLength: 256 }

const nowhere = {
  'training on a topology': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: train,
  },
  'training on slices of a topology': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [2, 4], slices: 4 },
    workload: { mode: 'train', batchSequences: 256, sequenceLength: 4096 },
  },
  'training on the largest slices there are': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [16, 16] },
    workload: train,
    memoryBudget: { fraction: 0.25 },
    constraints: { pipeline: 1 },
  },
  'training on a topology that is also counted': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4], chips: 16 },
    workload: train,
  },
  'training on a number of TPU chips': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5p', chips: 8 },
    workload: train,
  },
  'training on GPUs, under constraints': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 16, network: { scaleOutBytesPerSecondPerChip: 1e11 } },
    workload: train,
    memoryBudget: { fraction: 0.5 },
    constraints: { data: 16 },
  },
  'training of sequences that are too many': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { mode: 'train', batchSequences: 2048, sequenceLength: 8192 },
    constraints: { context: 1, tensor: 1, microbatches: 1 },
  },
  'training on GPUs that all have to work': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm', chips: 64 },
    workload: { mode: 'train', batchTokens: 1_048_576, sequenceLength: 8192 },
    constraints: { chips: 64 },
  },
  'generation on a topology that all has to work': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: long,
    constraints: { chips: { max: 16 } },
  },
  'training that fits, and that nothing launches': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm', chips: 96 },
    workload: { mode: 'train', batchTokens: 16_777_216, sequenceLength: 8192 },
  },
  'generation on a topology': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: long,
  },
  'generation on GPUs': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { ...long, batchSequences: 200 },
  },
  'generation on chips with less memory than the catalogue has': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 1, hbmBytes: 1.6e10, nicGbps: 200, usdPerHour: 2 },
    workload: long,
  },
  'generation of a model that is released in fp8 too': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: long,
  },
  'generation in too short a time': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { ...long, maxStepSeconds: 0.004 },
  },
  'prefill on a topology': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [2, 4] },
    workload: { mode: 'prefill', batchSequences: 8, promptLength: 4096 },
  },
  'serving on a topology': {
    model: 'llama-3-70b',
    hardware: { chip: 'tpu-v5e', topology: [2, 2] },
    workload: serve,
  },
  'serving too much': {
    model: 'llama-3-8b',
    hardware: { chip: 'tpu-v5e', topology: [2, 4] },
    workload: { ...serve, requestsPerSecond: 50, disaggregated: false },
  },
}

/** Plans that were written and do not fit. */
const written = {
  'a plan of training that keeps everything': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { ...train, sequenceLength: 8192 },
    plan: { mesh: { data: 16 }, rematerialization: 'none', microbatches: 1, zeroStage: 0 },
  },
  'a plan of training in a pipeline': {
    model: 'llama-3-70b',
    hardware: { chip: 'a100-80g-sxm', chips: 64 },
    workload: { mode: 'train', batchSequences: 512, sequenceLength: 4096 },
    plan: { mesh: { tensor: 4, pipeline: 4, data: 4 }, pipelineSchedule: 'gpipe', rematerialization: 'none' },
  },
  'a plan of training on a torus': {
    model: 'llama-3-8b',
    hardware: { chip: 'tpu-v5e', topology: [4, 4] },
    workload: train,
    plan: {
      mesh: { data: 4, fsdp: 4 },
      rematerialization: 'none',
      placement: [{ axis: 'data', physical: [0] }],
    },
  },
  'a plan of generation that is too full': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { ...long, maxStepSeconds: 0.5 },
    plan: { mesh: { tensor: 8 }, layout: { attention: '1d/sequence' }, batchSequences: 300 },
  },
  'a plan of generation that is too slow': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { ...long, maxStepSeconds: 0.001 },
    plan: { mesh: { tensor: 8 } },
  },
  'a plan of prefill': {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 2 },
    workload: { mode: 'prefill', batchSequences: 8, promptLength: 16_384 },
    plan: { mesh: { tensor: 2 }, batchSequences: 8 },
  },
}

interface Suggested {
  readonly change: string
  readonly pointer: string
  readonly value: unknown
  readonly detail: string
  readonly also?: readonly { readonly pointer: string; readonly value: unknown }[]
}

async function answered(body: object) {
  const {
    status,
    text,
    body: answer,
  } = await service({ search: planning })
    .post('/optimize')
    .send({ timeoutMs: 60_000, top: 1, ...body })
  expect(status, text.slice(0, 600)).toBe(200)
  return answer
}

function applied(body: object, { also = [], ...own }: Suggested): object {
  return changed(body, [own, ...also]) as object
}

async function suggestionsFor(body: object): Promise<readonly Suggested[]> {
  const { plans, infeasible } = await answered(body)
  expect(plans).toEqual([])
  return infeasible.suggestions
}

describe('each suggestion, applied to the request, gives plans', () => {
  it.each(Object.entries(nowhere))('%s', async (_name, body) => {
    const suggestions = await suggestionsFor(body)
    expect(suggestions.length).toBeGreaterThan(0)
    for (const suggestion of suggestions) {
      const { plans } = await answered(applied(body, suggestion))
      expect(plans, JSON.stringify(suggestion)).not.toEqual([])
    }
  })
})

it('no suggestion leaves plans that no framework launches, where some could run what was asked', async () => {
  const asked = {
    model: 'qwen3-8b',
    hardware: { chip: 'l40s', chips: 4 },
    workload: { mode: 'train', batchTokens: 262_144, sequenceLength: 32_768 },
  }
  const suggestions = await suggestionsFor(asked)
  expect(suggestions.map(({ pointer }) => pointer)).toContain('/hardware/chips')
  for (const suggestion of suggestions) {
    const { plans } = await answered(applied(asked, suggestion))
    const { notes, version, ...launches } = plans[0].launch
    const launched = Object.values(launches).filter((flags) => !Object.hasOwn(flags as object, 'unsupported'))
    expect(launched, JSON.stringify(suggestion)).not.toEqual([])
  }
})

describe('each suggestion for a written plan, applied to the request, makes it fit', () => {
  it.each(Object.entries(written))('%s', async (_name, body) => {
    const ask = (asked: object) =>
      service({ search: planning })
        .post('/evaluate')
        .send({ timeoutMs: 60_000, ...asked })
    const { body: answer, text } = await ask(body)
    expect(answer.plan.feasible, text.slice(0, 600)).toBe(false)
    expect(answer.suggestions.length).toBeGreaterThan(0)
    for (const suggestion of answer.suggestions) {
      const again = await ask(applied(body, suggestion))
      expect(again.body.plan?.feasible, JSON.stringify([suggestion, again.body.errors])).toBe(true)
      expect(again.body.suggestions).toBeUndefined()
    }
  })
})

describe('more chips are suggested in the words of the request', () => {
  const chips = async (name: keyof typeof nowhere) =>
    (await suggestionsFor(nowhere[name])).find(({ change }) => change === 'more chips')

  it('as a topology, where it has one', async () => {
    expect(await chips('generation on a topology')).toMatchObject({
      pointer: '/hardware/topology',
      value: [8, 8],
    })
    expect(await chips('serving on a topology')).toMatchObject({ pointer: '/hardware/topology' })
  })

  it('as more slices, where none is larger', async () => {
    expect(await chips('training on the largest slices there are')).toMatchObject({
      pointer: '/hardware/slices',
    })
  })

  it('as all of the hardware, where it says them twice', async () => {
    const { hardware } = nowhere['training on a topology that is also counted']
    const found = await chips('training on a topology that is also counted')
    expect(found).toMatchObject({ pointer: '/hardware', value: { chip: hardware.chip } })
  })

  it('with the number that has to work, where it has one', async () => {
    const gpus = await chips('training on GPUs that all have to work')
    expect(gpus).toMatchObject({
      pointer: '/hardware/chips',
      also: [{ pointer: '/constraints/chips', value: gpus?.value }],
    })
    expect(await chips('generation on a topology that all has to work')).toMatchObject({
      pointer: '/hardware/topology',
      value: [8, 8],
      also: [{ pointer: '/constraints/chips', value: 64 }],
    })
    expect(await chips('training on a number of TPU chips')).not.toHaveProperty('also')
  })

  it('as a number, where it has one', async () => {
    expect(await chips('training on a number of TPU chips')).toMatchObject({ pointer: '/hardware/chips' })
  })
})

describe('a suggestion is the smallest change', () => {
  it('of the batch: one sequence more fits nowhere', async () => {
    const body = nowhere['generation on GPUs']
    const fewer = (await suggestionsFor(body)).find(({ pointer }) => pointer.endsWith('/batchSequences'))
    if (!fewer) throw new Error('no smaller batch is suggested')
    const more = applied(body, { ...fewer, value: Number(fewer.value) + 1 })
    expect((await answered(more)).plans).toEqual([])
  })

  it('of chips: the next node, where it is enough', async () => {
    const asked = nowhere['training that fits, and that nothing launches']
    const body = { ...asked, hardware: { chip: 'h100-sxm', chips: 100 } }
    const chips = (await suggestionsFor(body)).find(({ pointer }) => pointer === '/hardware/chips')
    expect(chips?.value).toBe(104)
  })

  it('of a pool: the nodes that a deployment takes', async () => {
    const body = {
      ...{ model: 'llama-3.1-405b', hardware: { chip: 'h100-sxm', chips: 24 } },
      workload: { ...serve, promptLength: 3001, requestsPerSecond: 7, maxTimeToFirstTokenSeconds: 1.5 },
    }
    const pool = (await suggestionsFor(body)).find(({ pointer }) => pointer === '/hardware/chips')
    const [, taken = pool?.value] = /takes (\d+)/.exec(pool?.detail ?? '') ?? []
    expect(Number(pool?.value) - Number(taken)).toBeLessThan(8)
  })

  it('of a limit: a twentieth less is missed', async () => {
    const body = {
      ...{ model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 8 } },
      workload: { ...serve, promptLength: 8000, requestsPerSecond: 2, maxTimeToFirstTokenSeconds: 0.7 },
    }
    const later = (await suggestionsFor(body)).find(({ pointer }) => pointer.includes('FirstToken'))
    if (!later) throw new Error('no later first token is suggested')
    const sooner = applied(body, { ...later, value: 0.95 * Number(later.value) })
    expect((await answered(sooner)).plans).toEqual([])
  })

  it('of precision: what the chip multiplies', async () => {
    const types = (await suggestionsFor(nowhere['generation on GPUs']))
      .filter(({ pointer }) => pointer.startsWith('/precision'))
      .map(({ pointer, value }) => `${pointer} ${value}`)
    expect(types).toContain('/precision/kvCache fp8')
    expect(types.join()).not.toContain('int8')
    const older = await suggestionsFor(nowhere['generation on a topology'])
    expect(older.map(({ value }) => value)).not.toContain('fp8')
  })
})

describe('why nothing fits is told', () => {
  it('without constraints that the request does not have', async () => {
    const { constraints: _none, ...free } = { constraints: {}, ...nowhere['training on a topology'] }
    const details = async (body: object) => {
      const { infeasible } = await answered(body)
      return infeasible.reasons.map(({ detail }: { detail: string }) => detail).join('\n')
    }
    expect(await details(free)).not.toContain("request's constraints")
    expect(await details({ ...free, constraints: { pipeline: 1 } })).toContain("request's constraints")
  })

  it('in bytes that a person reads', async () => {
    const { infeasible } = await answered(nowhere['training on a topology'])
    expect(infeasible.nearest.plan.infeasible[0].detail).toMatch(
      /over the memory budget by [\d.]+ GB per chip/,
    )
  })
})
