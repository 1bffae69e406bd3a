import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  families,
  type HuggingFaceImport,
  importHuggingFace,
} from '../../../src/model/hugging-face/import.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { forAll } from '../../law.ts'

interface ConfigFile {
  readonly name: string
  readonly source: string
  /** Its twin in the catalogue. */
  readonly model?: string
  /** Of a number of few digits, the unit of the last. */
  readonly published?: { readonly parameters: number; readonly roundedTo?: number; readonly source: string }
  readonly weights: string | null
  readonly config: Readonly<Record<string, unknown>>
}

const fixtures = new URL('../../../fixtures/', import.meta.url)

function read(path: string) {
  return JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'))
}

const files: readonly ConfigFile[] = readdirSync(new URL('hugging-face/', fixtures)).map((file) =>
  read(`hugging-face/${file}`),
)

function configOf(name: string) {
  const file = files.find((other) => other.name === name)
  if (!file) throw new Error(`there is no config of ${name}`)
  return file.config
}

function imported(config: Readonly<Record<string, unknown>>) {
  const result = importHuggingFace(config)
  if (result.status !== 'imported') throw new Error(JSON.stringify(result))
  return result
}

function faultsOf(result: HuggingFaceImport) {
  return result.status === 'faulty' ? result.faults : []
}

/** What a config and a catalogue may say differently: names, and lengths that were extended later. */
/** Its dimensions; what of it costs nothing is looked at in test/launch/megatron/model-details.test.ts. */
function shape({ name, maxSequenceLength, details, ...model }: Transformer) {
  return model
}

describe('a real config', () => {
  it.each(files)('of $name names its source', ({ source, model, published }) => {
    expect(source.length).toBeGreaterThan(20)
    expect(model ?? published?.source).toBeDefined()
  })

  it.each(files)('of $name gives the published parameters within 1 %, or to all published digits', ({
    config,
    model,
    published,
  }) => {
    const expected = published?.parameters ?? read(`models/${model}.json`).published.parameters
    const { total } = parameterCount(imported(config).transformer)
    const allowed = published?.roundedTo ? published.roundedTo / 2 : 0.01 * expected
    expect(Math.abs(total - expected)).toBeLessThan(allowed)
  })

  it.each(files.filter(({ model }) => model))('of $name is the model of the catalogue', (file) => {
    const { transformer } = imported(file.config)
    const twin = spelledOut('', read(`models/${file.model}.json`).architecture)
    expect(shape(transformer)).toEqual(shape(twin))
  })

  it.each(files)('of $name names its twin where the catalogue has a model of its name', ({ name, model }) => {
    const catalogued = readdirSync(new URL('models/', fixtures)).map((file) => file.replace(/\.json$/, ''))
    const twins = catalogued.filter((other) => name === other || name.startsWith(`${other}-`))
    if (twins.length > 0) expect(twins).toContain(model)
  })

  it.each(files)('of $name says what its weights are stored in', ({ config, weights }) => {
    expect(imported(config).checkpoint?.weights ?? null).toBe(weights)
  })

  it.each(files)('of $name says the same whatever the order of its fields', ({ config }) => {
    const reversed = Object.fromEntries(Object.entries(config).reverse())
    expect(imported(reversed).transformer).toEqual(imported(config).transformer)
  })

  it.each(files)('of $name is refused without any field that it needs, at that field', ({ config }) => {
    const nested = config.text_config as Record<string, unknown> | undefined
    const fields = nested ?? config
    const without = (name: string) => {
      const { [name]: _, ...rest } = fields
      return nested ? { ...config, text_config: rest } : rest
    }
    const numbers = Object.keys(fields).filter((name) => typeof fields[name] === 'number')
    const results = numbers.map((name) => [name, importHuggingFace(without(name))] as const)
    const refused = results.filter(([, result]) => result.status === 'faulty')
    expect(refused.length).toBeGreaterThanOrEqual(nested ? 3 : 4)
    for (const [name, result] of refused) {
      const pointer = nested ? `/text_config/${name}` : `/${name}`
      expect(faultsOf(result).map((fault) => fault.pointer)).toContain(pointer)
    }
  })
})

describe('an import', () => {
  it('takes the language model of a model that sees, and says what it leaves out', () => {
    const { transformer, ignored } = imported(configOf('gemma-3-4b-it'))
    expect(transformer.attention).toMatchObject({ window: 1024, globalEvery: 6 })
    expect(ignored).toEqual(['vision_config'])
  })

  it('fills in what Gemma 3 stores as a difference to its defaults', () => {
    const text = { hidden_size: 2560, intermediate_size: 10240, num_hidden_layers: 34, sliding_window: 1024 }
    const { transformer } = imported({ model_type: 'gemma3', text_config: text })
    expect(shape(transformer)).toEqual(shape(imported(configOf('gemma-3-4b-it')).transformer))
  })

  // Defaults of the configuration classes, the same in transformers 4.57.6 and 5.18.0.
  it.each<[string, string, string, object]>([
    ['mistral-7b-instruct-v0.1', 'num_key_value_heads', 'mistral', { kvHeads: 8 }],
    ['mistral-7b-instruct-v0.1', 'sliding_window', 'mistral', { attention: { window: 4096 } }],
    ['mixtral-8x7b', 'num_key_value_heads', 'mixtral', { kvHeads: 8 }],
    ['gpt-oss-20b', 'num_key_value_heads', 'gpt_oss', { kvHeads: 8 }],
    ['gpt-oss-20b', 'sliding_window', 'gpt_oss', { attention: { window: 128, globalEvery: 2 } }],
    ['glm-4.5-air', 'n_shared_experts', 'glm4_moe', { experts: { sharedExperts: 1 } }],
    ['qwen3-30b-a3b', 'head_dim', 'qwen3_moe', { headDim: 2048 / 32 }],
    ['deepseek-v3', 'q_lora_rank', 'deepseek_v3', { attention: { latent: { queryRank: 1536 } } }],
    ['deepseek-v3', 'first_k_dense_replace', 'deepseek_v3', { experts: { denseLayers: 3 } }],
  ])('of %s without %s has what the class of %s takes', (name, field, _, expected) => {
    const { [field]: left, ...rest } = configOf(name)
    expect(left).toBeDefined()
    expect(imported(rest).transformer).toMatchObject(expected)
  })

  it('takes a field that is null for one that says there is none', () => {
    const mistral = {
      ...configOf('mistral-7b-instruct-v0.1'),
      num_key_value_heads: null,
      sliding_window: null,
    }
    expect(imported(mistral).transformer).toMatchObject({ kvHeads: 32, attention: { window: null } })
    const latent = { ...configOf('deepseek-v3'), q_lora_rank: null }
    expect(imported(latent).transformer.attention.latent?.queryRank).toBe(null)
  })

  it('says that chunks are taken as windows', () => {
    expect(imported(configOf('llama-4-scout')).ignored.join()).toContain('attention_chunk_size')
    const { text_config, ...rest } = configOf('llama-4-scout')
    const without = { ...rest, text_config: { ...(text_config as object), attention_chunk_size: null } }
    expect(imported(without).transformer.attention.window).toBe(null)
  })

  it('reads layer types before periods, and says where they follow none', () => {
    const base = { ...configOf('gpt-oss-20b'), num_hidden_layers: 4 }
    const patternOf = (...types: readonly string[]) =>
      imported({ ...base, layer_types: types.map((type) => `${type}_attention`) })
    expect(patternOf('sliding', 'sliding', 'sliding', 'full').transformer.attention.globalEvery).toBe(4)
    expect(patternOf('sliding', 'sliding', 'sliding', 'sliding').transformer.attention.globalEvery).toBe(0)
    expect(patternOf('full', 'full', 'full', 'full').transformer.attention.window).toBe(null)
    const irregular = patternOf('full', 'sliding', 'sliding', 'full')
    expect(irregular.transformer.attention.window).toBe(null)
    expect(irregular.ignored.join()).toContain('windows of 128')
  })

  it('uses the windows of Qwen only where they are switched on', () => {
    const qwen = configOf('qwen2.5-7b-instruct')
    expect(imported(qwen).transformer.attention.window).toBe(null)
    const on = { ...qwen, use_sliding_window: true, sliding_window: 4096, max_window_layers: 0 }
    expect(imported(on).transformer.attention).toMatchObject({ window: 4096, globalEvery: 0 })
    expect(imported({ ...on, max_window_layers: 28 }).transformer.attention.window).toBe(null)
    expect(imported({ ...on, max_window_layers: 14 }).ignored.join()).toContain('windows of 4096')
  })

  it.each<[Record<string, unknown>, number]>([
    [{ multi_query: true }, 1],
    [{ multi_query: false }, 64],
    [{ multi_query: false, num_kv_heads: 4 }, 4],
    [{ new_decoder_architecture: true, num_kv_heads: 8 }, 8],
  ])('gives Falcon with %j %d kv-heads', (change, kvHeads) => {
    const falcon = { model_type: 'falcon', num_hidden_layers: 2, num_attention_heads: 64, hidden_size: 4096 }
    const { transformer } = imported({ ...falcon, vocab_size: 65024, ...change })
    expect(transformer.kvHeads).toBe(kvHeads)
    expect(transformer.dFf).toBe(4 * 4096)
  })

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ quant_method: 'gptq', bits: 8 }, 'int8'],
    [{ quant_method: 'awq', bits: 4 }, 'int4'],
    [{ quant_method: 'bitsandbytes', load_in_8bit: true }, 'int8'],
    [{ quant_method: 'bitsandbytes', load_in_4bit: true, bnb_4bit_quant_type: 'nf4' }, 'int4'],
    [{ quant_method: 'fbgemm_fp8' }, 'fp8'],
    [{ quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'nvfp4'],
    [
      { quant_method: 'compressed-tensors', config_groups: { a: { weights: { num_bits: 4, type: 'int' } } } },
      'int4',
    ],
    [
      {
        quant_method: 'compressed-tensors',
        config_groups: { a: { weights: { num_bits: 8, type: 'float' } } },
      },
      'fp8',
    ],
    [{ quant_method: 'of-tomorrow' }, 'bf16'],
  ])('takes weights quantised by %j as %s', (quantization_config, weights) => {
    const result = imported({ ...configOf('llama-3.1-8b'), quantization_config })
    expect(result.checkpoint?.weights).toBe(weights)
    expect(result.ignored.length > 0).toBe(weights === 'bf16')
  })

  const gptOss = configOf('gpt-oss-20b')
  const deepseek = configOf('deepseek-v3')
  const llama = configOf('llama-3.1-8b')
  const next = configOf('qwen3-next-80b-a3b-fp8')
  const listed = (layers: number) =>
    Array.from({ length: layers }, (_, layer) => (layer % 4 === 3 ? 'full_attention' : 'linear_attention'))

  it.each<[string, Record<string, unknown>, string]>([
    ['layers of no known type', { ...gptOss, layer_types: Array(24).fill('foo') }, '/layer_types/0'],
    [
      'a layer that is no text',
      { ...gptOss, layer_types: [...Array(23).fill('full_attention'), 1] },
      '/layer_types/23',
    ],
    ['one type for all layers', { ...gptOss, layer_types: ['full_attention'] }, '/layer_types'],
    [
      'types of fewer layers than there are, of a period of its own',
      { ...next, num_hidden_layers: 48, layer_types: listed(44) },
      '/layer_types',
    ],
    ['more groups than there are', { ...deepseek, topk_group: 9 }, '/topk_group'],
    [
      'more groups than experts',
      { ...deepseek, n_routed_experts: 8, n_group: 16, topk_group: 16 },
      '/topk_group',
    ],
    ['a quantisation that is a name', { ...llama, quantization_config: 'fp8' }, '/quantization_config'],
    [
      'quantised groups in a list',
      { ...llama, quantization_config: { quant_method: 'modelopt', config_groups: [] } },
      '/quantization_config/config_groups',
    ],
  ])('refuses %s', (_, config, pointer) => {
    expect(faultsOf(importHuggingFace(config)).map((fault) => fault.pointer)).toEqual([pointer])
  })

  it('takes windows of Qwen by their layers only where each has a type', () => {
    const qwen = { ...configOf('qwen2.5-7b-instruct'), layer_types: ['full_attention'] }
    expect(faultsOf(importHuggingFace(qwen)).map((fault) => fault.pointer)).toEqual(['/layer_types'])
  })

  it('counts states in float32, and says so of a config that has another type for them', () => {
    const said = (mamba_ssm_dtype: string) => imported({ ...next, mamba_ssm_dtype }).ignored.join()
    expect(said('float32')).not.toContain('mamba_ssm_dtype')
    expect(said('bfloat16')).toContain('mamba_ssm_dtype bfloat16: states are counted in float32')
    expect(imported({ ...next, layer_types: listed(48) }).transformer).toEqual(imported(next).transformer)
  })

  it('loses no word on groups of experts where there is one', () => {
    for (const name of ['kimi-k2-instruct', 'glm-4.5-air'])
      expect(imported(configOf(name)).ignored).toEqual([])
  })

  it('says that attention sinks cost nothing', () => {
    expect(imported(gptOss).ignored.join()).toContain('attention sinks')
  })

  it('names fields that it does not know and that say something', () => {
    const config = { ...configOf('llama-3.1-8b'), mystery_size: 7, mystery_flag: false, rope_mystery: 3 }
    expect(imported(config).ignored).toEqual(['mystery_size'])
  })

  it('names a model as its path ends, or by its type', () => {
    expect(imported(configOf('opt-6.7b')).transformer.name).toBe('opt-6.7b')
    expect(imported(configOf('deepseek-v3')).transformer.name).toBe('deepseek_v3')
  })

  it('does not guess at a type that it does not know', () => {
    expect(importHuggingFace({ model_type: 'mamba' })).toEqual({ status: 'unknown-type', modelType: 'mamba' })
    expect(importHuggingFace({})).toEqual({ status: 'unknown-type', modelType: null })
    expect(importHuggingFace({ model_type: 'constructor' }).status).toBe('unknown-type')
  })

  // Dimensions of baidu/ERNIE-4.5-21B-A3B-PT; the class leaves out what it has as a default.
  it('reads experts of Ernie under its own names, and tells of layers after the last with experts', () => {
    const ernie = {
      ...{ model_type: 'ernie4_5_moe', hidden_size: 2560, intermediate_size: 12_288, vocab_size: 103_424 },
      ...{ num_hidden_layers: 28, num_attention_heads: 20, num_key_value_heads: 4, moe_layer_end_index: 27 },
    }
    const { transformer, ignored } = imported(ernie)
    expect(transformer.experts).toMatchObject({
      ...{ experts: 64, activeExperts: 6, sharedExperts: 2, dFfExpert: 1536, denseLayers: 1 },
    })
    expect(parameterCount(transformer).total / 21.8e9).toBeCloseTo(1, 2)
    expect(ignored).toEqual([])
    expect(imported({ ...ernie, moe_layer_end_index: 26 }).ignored.join()).toContain('moe_layer_end_index')
  })

  it('refuses numbers of experts that differ by layer', () => {
    const hunyuan = configOf('hunyuan-a13b')
    expect(faultsOf(importHuggingFace({ ...hunyuan, moe_topk: [8, 4] }))).toMatchObject([
      { pointer: '/moe_topk' },
    ])
    expect(imported({ ...hunyuan, moe_topk: 8 }).transformer.experts?.activeExperts).toBe(8)
  })

  it('points at numbers that are none, and at combinations that cannot be', () => {
    const llama = configOf('llama-3.1-8b')
    expect(faultsOf(importHuggingFace({ ...llama, hidden_size: '4096' }))).toMatchObject([
      { pointer: '/hidden_size' },
    ])
    expect(faultsOf(importHuggingFace({ ...llama, num_key_value_heads: 5 }))).toMatchObject([
      { pointer: '/num_key_value_heads', detail: 'kvHeads: 5 does not divide the 32 heads' },
    ])
    expect(faultsOf(importHuggingFace({ ...llama, num_hidden_layers: 1e9 }))).toHaveLength(1)
  })

  it('answers whatever it is given', () => {
    const values = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.object(),
    )
    const types = fc.constantFrom(...Object.keys(families))
    forAll(100, [types, fc.dictionary(fc.constantFrom(...fieldNames), values)], (model_type, config) => {
      const result = importHuggingFace({ ...config, model_type })
      expect(['imported', 'faulty', 'unknown-type']).toContain(result.status)
      if (result.status !== 'imported') return
      expect(parameterCount(result.transformer).total).toBeGreaterThan(0)
    })
  })
})

const fieldNames = [...new Set(files.flatMap(({ config }) => Object.keys(config)))]

describe('the table', () => {
  it.each(Object.entries(families))('says where the row of %s is from', (_, { source }) => {
    expect(source).toMatch(/configuration_\w+\.py/)
  })

  it('has the families that people use', () => {
    const asked = [
      ...[
        'llama',
        'mistral',
        'mixtral',
        'qwen2',
        'qwen3',
        'qwen2_moe',
        'qwen3_moe',
        'gemma',
        'gemma2',
        'gemma3',
      ],
      ...['phi', 'phi3', 'deepseek_v2', 'deepseek_v3', 'llama4', 'gpt_oss', 'glm4_moe', 'kimi_k2', 'falcon'],
      ...['gpt_neox', 'opt', 'bloom', 'gpt2', 'starcoder2', 'olmo2', 'cohere', 'granite'],
    ]
    expect(Object.keys(families)).toEqual(expect.arrayContaining(asked))
  })
})
