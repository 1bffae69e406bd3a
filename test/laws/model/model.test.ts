import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transformer } from '../../../src/model/architecture.ts'
import {
  type AttentionFlops,
  forwardFlops,
  layerForwardFlops,
  trainFlops,
  trainFlopsPerToken,
  unembeddingFlops,
} from '../../../src/model/flops.ts'
import { kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { layerParameters, parameterCount } from '../../../src/model/parameters.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { law } from '../../law.ts'
import { denseTrainFlops, layerTrainFlops } from '../../rules-of-thumb.ts'

const models: fc.Arbitrary<Transformer> = fc
  .record({
    layers: fc.integer({ min: 1, max: 130 }),
    dModel: fc.integer({ min: 1, max: 20_000 }),
    dFf: fc.integer({ min: 1, max: 80_000 }),
    kvHeads: fc.integer({ min: 1, max: 16 }),
    group: fc.integer({ min: 1, max: 8 }),
    headDim: fc.integer({ min: 1, max: 256 }),
    vocab: fc.integer({ min: 1, max: 260_000 }),
    gatedMlp: fc.boolean(),
    tiedEmbeddings: fc.boolean(),
    learnedPositions: fc.integer({ min: 0, max: 4096 }),
    parallelBlocks: fc.boolean(),
  })
  .map(({ group, ...shape }) => transformer('any', { heads: shape.kvHeads * group, ...shape }))

/** GPT-2's proportions: F = 4D, heads as wide as D together, as many kv-heads. */
const classicModels = fc
  .record({
    layers: fc.integer({ min: 1, max: 130 }),
    heads: fc.integer({ min: 1, max: 128 }),
    headDim: fc.integer({ min: 1, max: 160 }),
    vocab: fc.integer({ min: 1, max: 260_000 }),
  })
  .map(({ layers, heads, headDim, vocab }) => {
    const dModel = heads * headDim
    return transformer('classic', {
      layers,
      dModel,
      dFf: 4 * dModel,
      heads,
      kvHeads: heads,
      headDim,
      vocab,
      gatedMlp: false,
      tiedEmbeddings: true,
    })
  })

const tokens = fc.integer({ min: 1, max: 1 << 22 })
const lengths = fc.integer({ min: 1, max: 1 << 17 })
const attentions = fc.constantFrom<AttentionFlops>('none', 'causal', 'full')

function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12 * Math.abs(expected))
}

describe('parameters', () => {
  law('are the sum of their parts', 100, [models], (model) => {
    const { mlp, attention, norm, embedding, unembedding, total, active } = parameterCount(model)
    expect(total).toBe(mlp + attention + norm + embedding + unembedding)
    expect(active).toBe(total)
  })

  law(
    'grow by one layer for each layer more',
    100,
    [models, fc.integer({ min: 1, max: 50 })],
    (model, more) => {
      const { mlp, attention, norm } = layerParameters(model)
      const deeper = parameterCount({ ...model, layers: model.layers + more }).total
      expect(deeper - parameterCount(model).total).toBe(more * (mlp + attention + norm))
    },
  )

  law('are D·V fewer with tied embeddings, in storage but not in matmuls', 100, [models], (model) => {
    const tied = parameterCount({ ...model, tiedEmbeddings: true })
    const untied = parameterCount({ ...model, tiedEmbeddings: false })
    expect(untied.total - tied.total).toBe(model.dModel * model.vocab)
    expect(untied.matmul).toBe(tied.matmul)
  })

  law(
    'of attention are four square matrices where heads are not grouped and fill D',
    100,
    [classicModels],
    (model) => {
      expect(layerParameters(model).attention).toBe(4 * model.dModel ** 2)
    },
  )

  law('of attention never grow by sharing kv-heads', 100, [models], (model) => {
    const ungrouped = layerParameters({ ...model, kvHeads: model.heads }).attention
    expect(layerParameters(model).attention).toBeLessThanOrEqual(ungrouped)
  })

  law('of the MLP grow by half with a gate', 100, [models], (model) => {
    const gated = layerParameters({ ...model, gatedMlp: true }).mlp
    expect(2 * gated).toBe(3 * layerParameters({ ...model, gatedMlp: false }).mlp)
  })

  law('lose one norm a layer to parallel blocks', 100, [models], (model) => {
    const sequential = parameterCount({ ...model, parallelBlocks: false })
    const parallel = parameterCount({ ...model, parallelBlocks: true })
    expect(sequential.total - parallel.total).toBe(model.layers * model.dModel)
  })

  law(
    'gain a row of width D for each learned position, and no FLOPs',
    100,
    [models, lengths, attentions],
    (model, length, attention) => {
      const rotary = { ...model, learnedPositions: 0 }
      expect(parameterCount(model).total - parameterCount(rotary).total).toBe(
        model.learnedPositions * model.dModel,
      )
      expect(trainFlopsPerToken(model, length, attention)).toBe(trainFlopsPerToken(rotary, length, attention))
    },
  )

  law('of a GPT are 12·L·D² but for norms and vocabulary', 100, [classicModels], (model) => {
    const { mlp, attention } = parameterCount(model)
    expect(mlp + attention).toBe(12 * model.layers * model.dModel ** 2)
  })
})

describe('FLOPs', () => {
  law(
    'of training are three times those of the forward pass, part by part',
    100,
    [models, tokens, lengths, attentions],
    (model, t, length, attention) => {
      const forward = forwardFlops(model, t, length, attention)
      const train = trainFlops(model, t, length, attention)
      for (const part of ['mlp', 'projections', 'dotProducts', 'unembedding', 'total'] as const) {
        expectClose(train[part], 3 * forward[part])
      }
      expectClose(
        layerTrainFlops(model, t, length, attention).total,
        3 * layerForwardFlops(model, t, length, attention).total,
      )
    },
  )

  law(
    'of the model are those of its layers and of the unembedding',
    100,
    [models, tokens, lengths, attentions],
    (model, t, length, attention) => {
      const layer = layerForwardFlops(model, t, length, attention)
      const whole = forwardFlops(model, t, length, attention)
      expectClose(whole.total, model.layers * layer.total + unembeddingFlops(model, t))
      expectClose(whole.total, whole.mlp + whole.projections + whole.dotProducts + whole.unembedding)
    },
  )

  law(
    'are in proportion to the tokens',
    100,
    [models, tokens, lengths, attentions],
    (model, t, length, attention) => {
      expectClose(
        forwardFlops(model, t, length, attention).total,
        t * forwardFlops(model, 1, length, attention).total,
      )
    },
  )

  law(
    'of dot products are in proportion to the sequence, and the only ones that see it',
    100,
    [models, lengths, attentions],
    (model, length, attention) => {
      const short = forwardFlops(model, 1, length, attention)
      const long = forwardFlops(model, 1, 2 * length, attention)
      expect(long.dotProducts).toBe(2 * short.dotProducts)
      expect(long.mlp).toBe(short.mlp)
      expect(long.projections).toBe(short.projections)
      expect(long.unembedding).toBe(short.unembedding)
    },
  )

  law(
    'of causal dot products are half of the full ones',
    100,
    [models, tokens, lengths],
    (model, t, length) => {
      const full = forwardFlops(model, t, length, 'full').dotProducts
      expect(full).toBeGreaterThan(0)
      expect(2 * forwardFlops(model, t, length, 'causal').dotProducts).toBe(full)
      expect(forwardFlops(model, t, length, 'none').dotProducts).toBe(0)
    },
  )

  law(
    'of training a token are 6 for each parameter in a matmul and 12·L·S·N·H of attention',
    100,
    [models, lengths],
    (model, length) => {
      const { layers, heads, headDim } = model
      const rule = denseTrainFlops(parameterCount(model).matmul, 1)
      expectClose(trainFlopsPerToken(model, length, 'none'), rule)
      expectClose(trainFlopsPerToken(model, length, 'full'), rule + 12 * layers * length * heads * headDim)
    },
  )

  law(
    'do not depend on whether embeddings are tied',
    100,
    [models, lengths, attentions],
    (model, length, attention) => {
      const other = { ...model, tiedEmbeddings: !model.tiedEmbeddings }
      expect(trainFlopsPerToken(other, length, attention)).toBe(trainFlopsPerToken(model, length, attention))
    },
  )

  // Narayanan et al. 2021 (arXiv 2104.04473), equation 3, without the recomputed forward pass of the layers.
  law("of a GPT follow Megatron's formula", 100, [classicModels, tokens, lengths], (model, t, s) => {
    const { layers: l, dModel: h, vocab: V } = model
    expectClose(
      trainFlops(model, t, s, 'full').total,
      72 * t * l * h ** 2 * (1 + s / (6 * h) + V / (12 * l * h)),
    )
  })

  // "How To Scale Your Model", Transformers, question 5.
  law('of projections and dot products meet at a sequence of 2·D', 100, [classicModels], (model) => {
    const { projections, dotProducts } = layerForwardFlops(model, 1, 2 * model.dModel, 'full')
    expect(dotProducts).toBe(projections)
  })
})

describe('the KV cache', () => {
  law('shrinks by the size of a group of heads', 100, [models], (model) => {
    const ungrouped = kvCacheBytesPerToken({ ...model, kvHeads: model.heads }, 2)
    expect(ungrouped * model.kvHeads).toBe(kvCacheBytesPerToken(model, 2) * model.heads)
  })

  law('is in proportion to the layers and to the bytes of an element', 100, [models], (model) => {
    const bf16 = kvCacheBytesPerToken(model, 2)
    expect(bf16).toBe(2 * kvCacheBytesPerToken(model, 1))
    expect(bf16).toBe(model.layers * kvCacheBytesPerToken({ ...model, layers: 1 }, 2))
  })

  // "How To Scale Your Model", Inference: Llama 2 13B in bf16.
  it('of 40 layers with 40 heads of 128 in bf16 takes 819,200 bytes a token', () => {
    const shape = { layers: 40, dModel: 5120, dFf: 13824, heads: 40, kvHeads: 40, headDim: 128, vocab: 32000 }
    const model = transformer('llama-2-13b', { ...shape, gatedMlp: true, tiedEmbeddings: false })
    expect(kvCacheBytesPerToken(model, 2)).toBe(819_200)
  })
})

describe('an architecture', () => {
  const shape = { layers: 2, dModel: 8, dFf: 32, heads: 2, vocab: 16, gatedMlp: false, tiedEmbeddings: true }

  it('has ungrouped heads that fill D and neither learned positions nor parallel blocks unless it says so', () => {
    const model = transformer('plain', shape)
    expect(model).toEqual({
      ...shape,
      name: 'plain',
      kvHeads: 2,
      headDim: 4,
      learnedPositions: 0,
      parallelBlocks: false,
      attention: { window: null, globalEvery: 1, kvShareGroup: 1, latent: null, index: null },
      experts: null,
      multiTokenLayers: 0,
    })
  })

  it('keeps what it says', () => {
    const own = { kvHeads: 1, headDim: 16, learnedPositions: 64, parallelBlocks: true, maxSequenceLength: 64 }
    expect(transformer('own', { ...shape, ...own })).toMatchObject(own)
  })
})
