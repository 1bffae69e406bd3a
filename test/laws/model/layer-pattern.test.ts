/** Layers with a mixer alone or an MLP alone: what models of them have and keep, and that two such layers are one with both. */
import { describe, expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { transformer } from '../../../src/model/architecture.ts'
import { attentionLayers } from '../../../src/model/attention-layers.ts'
import { layersAreAlike, stageCompositions, wholeComposition } from '../../../src/model/composition.ts'
import { denseLayers, expertLayers, hasExperts } from '../../../src/model/expert-layers.ts'
import { forwardFlops, layerKindFlops } from '../../../src/model/flops.ts'
import { importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { layersWith } from '../../../src/model/layer-pattern.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import {
  attendingLayers,
  recurrentLayers,
  scanFlops,
  stateBytesPerSequence,
} from '../../../src/model/recurrence.ts'
import type { Spelling } from '../../../src/model/spelling.ts'
import { spellingFaults } from '../../../src/model/spelling-faults.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { enumeration, type Priced } from '../../agree/training/enumeration.ts'
import { catalogueModel } from '../../catalogue.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const nano = catalogueModel('nemotron-3-nano-30b-a3b')

describe('Nemotron 3 Nano', () => {
  // Hugging Face's total of its safetensors leaves out the 23 x 128 biases of its routers, as is done here.
  it('has the published parameters to the last, and 3.2 or 3.6 billion of them active', () => {
    const { total, active, embedding } = parameterCount(nano)
    expect(total).toBe(31_577_937_344)
    expect((active / 1e9).toFixed(1)).toBe('3.6')
    expect(((active - embedding) / 1e9).toFixed(1)).toBe('3.2')
  })

  it('has 23 layers of Mamba-2, 23 of experts and 6 that attend, and no dense MLP', () => {
    expect([recurrentLayers(nano), expertLayers(nano), attendingLayers(nano), denseLayers(nano)]).toEqual([
      23, 23, 6, 0,
    ])
    expect(attentionLayers(nano)).toEqual([{ layers: 6, window: null, caches: 6 }])
  })

  // As servers allocate them: 64 heads of 64 x 128 numbers in fp32, and three positions of 6144 channels in 16 bits, a layer.
  it('keeps states of its 23 layers, and keys and values of six', () => {
    const states = 23 * (64 * 64 * 128 * 4 + 6144 * 3 * 2)
    expect(stateBytesPerSequence(nano)).toBe(states)
    for (const length of [1, 8192, 1_048_576])
      expect(kvCacheBytes(nano, length, 2)).toBe(states + 6 * 2 * 2 * 128 * 2 * length)
  })

  it('has scans of chunks of 128, whose common keys a group multiplies once', () => {
    expect(scanFlops(nano)).toBe(2 * (64 * (2 * 128 * 64 + 128 * 64) + 8 * 128 * 128))
    expect(forwardFlops(nano, 1, 1000, 'full').dotProducts).toBe(
      23 * scanFlops(nano) + 6 * 4 * 1000 * 32 * 128,
    )
  })

  it('has the FLOPs of its layers, kind by kind', () => {
    const { dense, sparse } = layerKindFlops(nano, 8192, 'causal')
    const { mlp, projections, dotProducts } = forwardFlops(nano, 1, 8192, 'causal')
    expect((29 * dense + 23 * sparse) / (mlp + projections + dotProducts)).toBeCloseTo(1, 12)
  })
})

describe('a pattern of layers', () => {
  it('has each layer in one stage, with experts where the pattern says', () => {
    expect(wholeComposition(nano)).toEqual({ layers: 52, dense: 29, sparse: 23 })
    const [first, last] = stageCompositions(nano, [10, 42])
    expect(first).toEqual({ layers: 10, dense: 6, sparse: 4 })
    expect(last).toEqual({ layers: 42, dense: 23, sparse: 19 })
    expect([0, 1, 2, 3, 4, 5, 6].map((layer) => hasExperts(nano, layer))).toEqual(
      [...'MEMEM*E'].map((letter) => letter === 'E'),
    )
  })

  it('has stages that are alike where no layer has experts', () => {
    expect(layersAreAlike(catalogueModel('nemotron-h-56b'))).toBe(true)
    expect(layersAreAlike(nano)).toBe(false)
  })

  it('adds a layer that attends and one with experts for each further token', () => {
    const further = { ...nano, multiTokenLayers: 2 }
    expect(wholeComposition(further)).toEqual({ layers: 52, dense: 31, sparse: 25 })
    const { multiToken } = parameterCount(further)
    const attending = 2 * 2688 * 128 * (32 + 2)
    const experts = 2688 * 128 + 2 * 130 * 2688 * 1856
    expect(multiToken).toBe(2 * (attending + experts + 2 * 2688 + 2 * 2688 ** 2 + 3 * 2688))
  })

  const spelled: Spelling = {
    ...{ layers: 4, dModel: 1024, dFf: 4096, heads: 8, kvHeads: 2, vocab: 32_000 },
    ...{ gatedMlp: false, tiedEmbeddings: false, layerPattern: 'M-*-' },
    recurrence: { mixer: 'mamba-2', keyHeads: 4, keyDim: 64, heads: 16, valueDim: 64, convolution: 4 },
  }
  const mixture = { experts: 8, activeExperts: 2, dFfExpert: 1024 }

  it.each<[Partial<Spelling>, string, RegExp]>([
    [{ layerPattern: 'M-*' }, '/layerPattern', /has 3 letters for 4 layers/],
    [{ layerPattern: 'M-*X' }, '/layerPattern', /has X, which is none of M \* - E/],
    [{ layerPattern: 'M-M-' }, '/layerPattern', /no layer that attends/],
    [{ layerPattern: '*-*-' }, '/layerPattern', /has no M, and the model has recurrence/],
    [{ layerPattern: 'M-*E' }, '/layerPattern', /has E, and the model has no moe/],
    [{ moe: mixture }, '/layerPattern', /has no E, and the model has moe/],
    [
      { layerPattern: 'ME*E', moe: { ...mixture, every: 2 } },
      '/layerPattern',
      /denseLayers and every cannot stand beside it/,
    ],
  ])('with %j is no model', (change, pointer, detail) => {
    expect(spellingFaults({ ...spelled, ...change })).toEqual([
      { pointer, detail: expect.stringMatching(detail) },
    ])
  })

  it('says itself which layers attend, and without one a period has to', () => {
    const { layerPattern: _, recurrence, ...whole } = spelled
    expect(spellingFaults(spelled)).toEqual([])
    const pointer = '/recurrence/attentionEvery'
    if (!recurrence) throw new Error('it has one')
    const periodic = { ...recurrence, attentionEvery: 2 }
    expect(spellingFaults({ ...spelled, recurrence: periodic })).toMatchObject([{ pointer }])
    expect(spellingFaults({ ...whole, recurrence })).toMatchObject([{ pointer }])
    expect(spellingFaults({ ...whole, recurrence: periodic })).toEqual([])
  })

  it('is read of types of layers as it is of letters, and a type that is not known is a fault', () => {
    const config = {
      ...{ model_type: 'nemotron_h', hidden_size: 1024, intermediate_size: 4096, num_attention_heads: 8 },
      ...{ num_key_value_heads: 2, head_dim: 128, vocab_size: 32_000, mamba_num_heads: 16 },
    }
    const read = (more: object) => importHuggingFace({ ...config, ...more })
    const letters = read({ hybrid_override_pattern: 'M-*-', num_hidden_layers: 4 })
    const types = read({ layers_block_type: ['mamba', 'mlp', 'attention', 'mlp'] })
    expect(letters.status).toBe('imported')
    expect(types).toEqual(letters)
    const faulty = read({ layers_block_type: ['mamba', 'mlp', 'attention', 'rwkv'] })
    expect(faulty).toMatchObject({ status: 'faulty', faults: [{ pointer: '/layers_block_type/3' }] })
  })

  // As IBM's cards and Bamba's have them: 32.2, 6.9 and 9.78 thousand million.
  const small = {
    ...{ model_type: 'granitemoehybrid', hidden_size: 4096, intermediate_size: 768, num_hidden_layers: 40 },
    ...{
      shared_intermediate_size: 1536,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      vocab_size: 100_352,
    },
    ...{ num_local_experts: 72, num_experts_per_tok: 10, mamba_n_heads: 128, mamba_d_state: 128 },
    layer_types: Array.from({ length: 40 }, (_, layer) => (layer % 10 === 5 ? 'attention' : 'mamba')),
    tie_word_embeddings: true,
  }
  const tiny = {
    ...{ ...small, hidden_size: 1536, intermediate_size: 512, shared_intermediate_size: 1024 },
    ...{ num_attention_heads: 12, num_key_value_heads: 4, num_local_experts: 64, num_experts_per_tok: 6 },
    ...{ mamba_n_heads: 48, mamba_d_head: 64 },
  }
  const bamba = {
    ...{ model_type: 'bamba', hidden_size: 4096, intermediate_size: 14_336, num_hidden_layers: 32 },
    ...{ num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128_256, mamba_d_state: 128 },
    attn_layer_indices: [9, 18, 27],
  }

  it.each([
    ['granite-4.0-h-small', small, 32.2e9, 'sparse'],
    ['granite-4.0-h-tiny', tiny, 6.94e9, 'sparse'],
    ['granite-4.0-h without experts', { ...small, num_local_experts: 0 }, null, 'dense'],
    ['bamba-9b', bamba, 9.78e9, 'dense'],
  ] as const)('spells a layer of %s that has a mixer and an MLP as two', (_, config, published, mlp) => {
    const read = importHuggingFace(config)
    if (read.status !== 'imported') throw new Error(JSON.stringify(read))
    const { layers } = read.transformer
    expect(layers).toBe(2 * config.num_hidden_layers)
    expect(layersWith(read.transformer, mlp)).toBe(layers / 2)
    expect(layersWith(read.transformer, 'attending')).toBe(config === bamba ? 3 : 4)
    if (published !== null) expect(parameterCount(read.transformer).total / published).toBeCloseTo(1, 2)
  })

  it('of Granite has a type that is none of them as a fault', () => {
    const read = importHuggingFace({ ...small, layer_types: [...small.layer_types.slice(1), 'rwkv'] })
    expect(read).toMatchObject({ status: 'faulty', faults: [{ pointer: '/layer_types/39' }] })
  })
})

/** The same model twice: with attention and an MLP in each layer, and with one of them in each of twice as many layers. */
const both: Architecture = {
  ...{ layers: 4, dModel: 2048, dFf: 8192, heads: 16, kvHeads: 4, headDim: 128, vocab: 32_000 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
}
const alone: Architecture = { ...both, layers: 8, layerPattern: '*-*-*-*-' }
const routed = { experts: 8, activeExperts: 2, sharedExperts: 1, dFfExpert: 2048, denseLayers: 0, every: 1 }

describe.each<[string, Architecture, Architecture]>([
  ['of dense MLPs', both, alone],
  ['of experts', { ...both, experts: routed }, { ...alone, layerPattern: '*E*E*E*E', experts: routed }],
])('two layers that have a block each, %s,', (_, whole, halves) => {
  it('have the parameters, FLOPs and caches of one that has both', () => {
    const [one, two] = [transformer('', whole), transformer('', halves)]
    const facts = (model: Transformer) => [
      parameterCount(model),
      forwardFlops(model, 10, 4096, 'causal'),
      kvCacheBytes(model, 1000, 2),
    ]
    expect(facts(two)).toEqual(facts(one))
  })

  const on = { chip: 'h100-sxm', chips: 8 }

  it('take as long to train, and as much memory where all is kept, in every plan of one stage', () => {
    const plans = (model: Architecture) => {
      const found: Priced[] = []
      const made = problem({
        ...{ ...on, model, batchTokens: 2 ** 17, sequenceLength: 4096 },
        rematerialization: ['none'],
        constraints: { pipeline: 1, zeroStage: [0, 1] },
      })
      enumeration(costModel(made), { plan: (plan) => found.push(plan) })
      return found
    }
    const [one, two] = [plans(whole), plans(halves)]
    expect(two.length).toBe(one.length)
    expect(one.length).toBeGreaterThan(20)
    two.forEach(({ times, memory }, at) => {
      expect(times.expected / (one[at]?.times.expected ?? 0)).toBeCloseTo(1, 9)
      const ofLayers = (layers: number, { kept, layer }: Priced['memory']) =>
        [kept[0] ?? 0, layer.weights, layer.gradients, layer.optimizer].map((bytes) => layers * bytes)
      const plan = one[at]
      if (!plan) throw new Error('there is the same plan')
      ofLayers(halves.layers, memory).forEach((bytes, part) => {
        expect(bytes / (ofLayers(whole.layers, plan.memory)[part] ?? 0)).toBeCloseTo(1, 9)
      })
    })
  })

  it('take as long to prefill and to generate', () => {
    const layout = whole.experts
      ? { attention: '1d/heads', experts: '1d/sliced', unembedding: '1d' }
      : { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
    const plan = { mesh: { ...unitMesh, tensor: 4, data: 2 }, layout }
    const generated = (model: Architecture) =>
      inferenceProblem({ ...on, model, workload: generation(32, 4096) })
    const prefilled = (model: Architecture) => inferenceProblem({ ...on, model, workload: prompts(8, 2048) })
    for (const made of [generated, prefilled]) {
      const seconds = (model: Architecture) =>
        legal(evaluateInference(made(model), plan, solver)).plan.stepTimeSeconds
      expect(seconds(halves) / seconds(whole)).toBeCloseTo(1, 9)
    }
  })
})
