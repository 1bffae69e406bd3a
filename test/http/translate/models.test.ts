import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { ProblemError } from '../../../api/problems.ts'
import { modelRequest } from '../../../api/schemas/given/model.ts'
import { resolvedModel } from '../../../api/translate/model/model.ts'
import { families } from '../../../src/model/hugging-face/import.ts'
import { notModelled } from '../../../src/model/hugging-face/not-modelled.ts'
import { answering, type Heard } from '../planners.ts'
import { question, service } from '../service.ts'

const catalogue = loadCatalogue()

function configOf(name: string) {
  const file = new URL(`../../../fixtures/hugging-face/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).config
}

const architecture = { layers: 2, dModel: 1024, dFf: 4096, heads: 8, vocab: 1000 }
const mla = { queryRank: null, keyValueRank: 16, nopeHeadDim: 8, ropeHeadDim: 4, valueHeadDim: 8 }

function resolved(model: unknown) {
  return resolvedModel(modelRequest.parse(model), catalogue)
}

function problemOf(model: unknown): ProblemError {
  try {
    resolved(model)
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('the model was taken')
}

describe('the model of a request', () => {
  it('may have experts and any attention of the contract', () => {
    const moe = { experts: 8, activeExperts: 2, dFfExpert: 512, denseLayers: 1 }
    expect(resolved({ ...architecture, moe }).transformer.experts).toMatchObject({ ...moe, every: 1 })
    const windows = { kind: 'mha', window: 9, globalEvery: 2, kvShareGroup: 2 }
    expect(resolved({ ...architecture, attention: windows }).transformer.attention).toMatchObject({
      window: 9,
      globalEvery: 2,
      kvShareGroup: 2,
    })
    const latent = resolved({ ...architecture, attention: { kind: 'mla', mla } }).transformer
    expect(latent.attention.latent).toEqual(mla)
  })

  it.each([
    [{ ...architecture, attention: { kind: 'mla' } }, '/model/attention/mla'],
    [{ ...architecture, moe: { experts: 2, activeExperts: 3, dFfExpert: 512 } }, '/model/moe/activeExperts'],
    [{ ...architecture, attention: { globalEvery: 2 } }, '/model/attention/window'],
    [
      { ...architecture, moe: { experts: 8, activeExperts: 2, dFfExpert: 512, nodeLimit: 64 } },
      '/model/moe/nodeLimit',
    ],
  ])('that cannot be, %j, is pointed at', (model, pointer) => {
    const problem = problemOf(model)
    expect(problem.slug).toBe('impossible-combination')
    expect(problem.faults[0]?.pointer).toBe(pointer)
  })

  it.each([
    { ...architecture, moe: { experts: 2, activeExperts: 1, dFfExpert: 512, expert: 1 } },
    { ...architecture, attention: { kind: 'mha', windows: 9 } },
    { huggingFace: {}, layers: 2 },
  ])('with a key that nobody knows is refused: %j', (model) => {
    expect(modelRequest.safeParse(model).success).toBe(false)
  })

  it('by name brings what is released of it, and no warnings', () => {
    expect(resolved('deepseek-v3')).toMatchObject({
      checkpoints: [{ name: 'deepseek-ai/DeepSeek-V3', weights: 'fp8' }],
      warnings: [],
    })
    expect(resolved('llama-3-70b').checkpoints).toEqual([])
  })

  it('by its config brings the type of its weights, and says what was left out', () => {
    expect(resolved({ huggingFace: configOf('deepseek-v3') })).toMatchObject({
      checkpoints: [{ weights: 'fp8', quantized: { activations: 'fp8', kept: 'bf16' } }],
      warnings: [],
      transformer: { layers: 61, multiTokenLayers: 1 },
    })
    const { warnings } = resolved({ huggingFace: configOf('gemma-3-4b-it') })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('vision_config')
  })

  it('of a type that nobody knows is refused with the nearest, and with a way by hand', () => {
    const problem = problemOf({ huggingFace: { ...configOf('deepseek-v3'), model_type: 'deepseek_v33' } })
    expect(problem.slug).toBe('unknown-name')
    const [fault] = problem.faults
    expect(fault?.pointer).toBe('/model/huggingFace/model_type')
    expect(fault?.suggestions).toContain('deepseek_v3')
    expect(fault?.detail).toContain('layers, dModel, dFf')
    expect(problemOf({ huggingFace: {} }).faults[0]?.detail).toContain('required')
  })

  it.each([
    ['kimi_k3', 'moonshotai/Kimi-K3', 'linear attention'],
    ['jamba', 'ai21labs/AI21-Jamba-Large-1.7', 'state space'],
    ['deepseek_v41', 'deepseek-ai/DeepSeek-V4.1', 'pool'],
    ['minimax_m3', 'MiniMaxAI/MiniMax-M3-MXFP8', 'blocks'],
    ['step3p7', 'stepfun-ai/Step-3.5-Flash', 'one kind of attention'],
    ['nemotron-nas', 'nvidia/Llama-3_3-Nemotron-Super-49B-v1', 'unlike widths'],
    ['minimax_m1', 'MiniMaxAI/MiniMax-M1-80k', 'linear attention'],
    ['gemma4', 'google/gemma-4-31B-it', 'one kind of attention'],
  ])('of a kind that is not modelled is refused with the reason, by type %s and by name', (type, name, why) => {
    expect(problemOf({ huggingFace: { model_type: type } }).faults[0]?.detail).toContain(why)
    expect(problemOf(name).faults[0]?.detail).toContain(why)
  })

  it('that the catalogue has is none of a kind that is not modelled', () => {
    for (const name of [...catalogue.models.keys(), ...Object.keys(families)])
      expect([name, notModelled(name)]).toEqual([name, undefined])
  })

  it('whose config misspells a name is told which it may be', () => {
    const { num_hidden_layers: layers, ...llama } = configOf('llama-3.1-8b')
    const [fault] = problemOf({ huggingFace: { ...llama, num_hiden_layers: layers } }).faults
    expect(fault?.detail).toBe('is required, as a whole number: num_hiden_layers may be meant for it')
  })

  it('whose config lacks a number is refused at that field', () => {
    const { num_attention_heads: _, ...llama } = configOf('llama-3.1-8b')
    expect(problemOf({ huggingFace: llama }).faults).toEqual([
      { pointer: '/model/huggingFace/num_attention_heads', detail: 'is required, as a whole number' },
    ])
  })
})

describe('models in the catalogue', () => {
  it('are read by the name of a release with its owner, as it is or with its slash escaped', async () => {
    for (const written of ['meta-llama/Meta-Llama-3-70B', 'meta-llama%2FMeta-Llama-3-70B']) {
      const { status, body } = await service().get(`/models/${written}`)
      expect([status, body.name]).toEqual([200, 'llama-3-70b'])
    }
  })
})

describe('a name that nobody knows', () => {
  it('is answered with the nearest whoever owns it', () => {
    const [fault] = problemOf('meta-llama/Lama-3.1-405B').faults
    expect(fault?.suggestions?.[0]).toBe('llama-3.1-405b')
  })

  it('is answered with those that it begins, whatever stands between letters and digits', async () => {
    const { status, body } = await service().get('/models/llama3')
    expect(status).toBe(404)
    expect(body.detail).toMatch(/the nearest are llama-3/)
  })
})

describe('GET /models', () => {
  it('shows experts, windows and active parameters', async () => {
    const { body } = await service().get('/models')
    const named = new Map<string, Record<string, unknown>>(
      body.models.map((model: { name: string }) => [model.name, model]),
    )
    expect(named.get('mixtral-8x7b')).toMatchObject({
      parameters: 46_702_792_704,
      activeParameters: 12_879_925_248,
      architecture: { moe: { experts: 8, activeExperts: 2, dFfExpert: 14_336 } },
    })
    expect(named.get('gemma-3-27b')).toMatchObject({
      architecture: { attention: { window: 1024, globalEvery: 6 } },
    })
  })

  it('answers architectures that a request may repeat', () => {
    for (const { record, transformer } of catalogue.models.values()) {
      const again = resolved({ ...record.architecture, name: record.name })
      const { details: _, ...dimensions } = transformer
      expect(again.transformer).toEqual(dimensions)
    }
  })
})

describe('a search', () => {
  const ask = (model: unknown, heard: Heard = {}) =>
    service({ search: answering(heard) })
      .post('/optimize')
      .send({ ...question, model })

  it('with a dense Hugging Face config is answered', async () => {
    const heard: Heard = {}
    const { status, text } = await ask({ huggingFace: configOf('llama-3.1-8b') }, heard)
    expect(status, text).toBe(200)
    expect(heard.problem?.model).toMatchObject({ layers: 32, kvHeads: 8 })
  })

  it.each([
    ['mixtral-8x7b', { experts: { experts: 8 } }],
    ['deepseek-v3', { experts: { nodeLimit: 4 }, attention: { latent: { keyValueRank: 512 } } }],
    ['mistral-7b', { attention: { window: 4096 } }],
    [{ ...architecture, attention: { mla } }, { attention: { latent: mla } }],
    [{ huggingFace: configOf('gpt-oss-20b') }, { experts: { experts: 32 }, attention: { window: 128 } }],
  ])('for training with %j is answered', async (model, known) => {
    const heard: Heard = {}
    const { status, text } = await ask(model, heard)
    expect(status, text).toBe(200)
    expect(heard.problem?.model).toMatchObject(known)
  })

  it('for training with layers that share keys and values is not offered yet', async () => {
    const { status, body } = await ask({ ...architecture, attention: { kvShareGroup: 2 } })
    expect(status).toBe(422)
    expect(body.type).toBe('/problems/not-offered')
    expect(body.errors[0]).toMatchObject({
      pointer: '/model',
      detail: expect.stringContaining('share keys'),
    })
  })

  it('with a window as long as the sequences is answered', async () => {
    const { status } = await service({ search: answering() })
      .post('/optimize')
      .send({ ...question, model: 'mistral-7b', workload: { ...question.workload, sequenceLength: 4096 } })
    expect(status).toBe(200)
  })
})
