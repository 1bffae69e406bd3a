import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attentionLayers, cacheLayers } from '../../../src/model/attention-layers.ts'
import { type AttentionFlops, forwardFlops } from '../../../src/model/flops.ts'
import { kvCacheBytes, kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { layerParameters, parameterCount } from '../../../src/model/parameters.ts'
import { indexedShare } from '../../../src/model/position-index.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import { fullAttention } from '../../../src/model/transformer.ts'
import { law } from '../../law.ts'
import { anyModels, denseModels, latentModels, windowedModels } from './models.ts'

const lengths = fc.integer({ min: 1, max: 1 << 17 })
const attentions = fc.constantFrom<AttentionFlops>('none', 'causal', 'full')
const shape = { dModel: 64, dFf: 128, heads: 4, kvHeads: 2, vocab: 16, gatedMlp: true, tiedEmbeddings: true }

function layersOf(layers: number, window: number, globalEvery: number) {
  const model = spelledOut('m', { ...shape, layers, attention: { window, globalEvery } })
  return attentionLayers(model).map((group) => [group.layers, group.window])
}

function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-11 * Math.abs(expected))
}

describe('layers by their attention', () => {
  law('are all there, in groups that are not empty', 100, [anyModels], (model) => {
    const groups = attentionLayers(model)
    expect(groups.reduce((sum, { layers }) => sum + layers, 0)).toBe(model.layers)
    for (const { layers, caches } of groups) {
      expect(caches).toBeGreaterThanOrEqual(1)
      expect(caches).toBeLessThanOrEqual(layers)
    }
  })

  // Gemma 3 (arXiv 2503.19786): five local layers for each global one, starting with a local one.
  it('are local but for each n-th', () => {
    expect(layersOf(34, 1024, 6)).toEqual([
      [5, null],
      [29, 1024],
    ])
    expect(layersOf(42, 4096, 2)).toEqual([
      [21, null],
      [21, 4096],
    ])
    expect(layersOf(32, 4096, 0)).toEqual([[32, 4096]])
    expect(layersOf(32, 4096, 1)).toEqual([[32, null]])
    expect(layersOf(4, 4096, 6)).toEqual([[4, 4096]])
  })
})

describe('a window', () => {
  law(
    'at least as long as the sequence changes nothing',
    100,
    [windowedModels, lengths, attentions],
    (model, length, attention) => {
      const wide = { ...model, attention: { ...model.attention, window: length } }
      const none = { ...model, attention: { ...model.attention, window: null } }
      const { kvShareGroup } = model.attention
      const { dotProducts } = forwardFlops(none, 1, length, attention)
      expectClose(forwardFlops(wide, 1, length, attention).dotProducts, dotProducts)
      if (kvShareGroup === 1) expect(kvCacheBytes(wide, length, 2)).toBe(kvCacheBytes(none, length, 2))
    },
  )

  law(
    'never costs more than none, in FLOPs or in cache',
    100,
    [windowedModels, lengths, attentions],
    (model, length, attention) => {
      const none = { ...model, attention: { ...fullAttention } }
      const flops = forwardFlops(model, 1, length, attention).dotProducts
      expect(flops).toBeLessThanOrEqual(forwardFlops(none, 1, length, attention).dotProducts * (1 + 1e-12))
      expect(kvCacheBytes(model, length, 2)).toBeLessThanOrEqual(kvCacheBytes(none, length, 2))
    },
  )

  law(
    'leaves a causal token the keys that a count finds',
    100,
    [fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 400 })],
    (length, window) => {
      const model = spelledOut('m', { ...shape, layers: 1, attention: { window } })
      const { dotProducts } = forwardFlops(model, length, length, 'causal')
      let keys = 0
      // The formula counts half a key of the diagonal, as S/2 does of a full mask.
      for (let token = 0; token < length; token++) keys += Math.min(token + 0.5, window)
      const counted = 4 * keys * model.heads * model.headDim
      expect(Math.abs(dotProducts - counted)).toBeLessThanOrEqual(1e-9 * counted)
    },
  )

  it('stops the cache from growing', () => {
    const model = spelledOut('m', { ...shape, layers: 12, attention: { window: 100, globalEvery: 6 } })
    const perLayer = 2 * 2 * 16 * 2
    expect(kvCacheBytes(model, 50, 2)).toBe(12 * 50 * perLayer)
    expect(kvCacheBytes(model, 1000, 2)).toBe((2 * 1000 + 10 * 100) * perLayer)
  })
})

describe('the cache of a token', () => {
  it('is less the longer the sequence, as windows keep no more than they are wide', () => {
    const attention = { window: 100, globalEvery: 4 }
    const model = spelledOut('m', { ...shape, layers: 8, attention })
    const whole = kvCacheBytesPerToken(model, 2)
    expect(kvCacheBytesPerToken(model, 2, 100)).toBe(whole)
    expect(kvCacheBytesPerToken(model, 2, 1000)).toBeCloseTo(whole * (2 / 8 + (6 / 8) * (100 / 1000)), 9)
    expect(1000 * kvCacheBytesPerToken(model, 2, 1000)).toBe(kvCacheBytes(model, 1000, 2))
  })
})

describe('layers that share a cache', () => {
  it('divide the cache, and only the first of a group projects keys and values', () => {
    const alone = spelledOut('m', { ...shape, layers: 12 })
    const shared = spelledOut('m', { ...shape, layers: 12, attention: { kvShareGroup: 3 } })
    expect(cacheLayers(shared)).toBe(4)
    expect(3 * kvCacheBytesPerToken(shared, 2)).toBe(kvCacheBytesPerToken(alone, 2))
    const projections = 2 * 64 * 2 * 16
    expect(parameterCount(alone).attention - parameterCount(shared).attention).toBe(8 * projections)
  })

  it('share with their like only', () => {
    const attention = { window: 100, globalEvery: 6, kvShareGroup: 2 }
    const groups = attentionLayers(spelledOut('m', { ...shape, layers: 12, attention }))
    expect(groups.map(({ caches }) => caches)).toEqual([1, 5])
  })
})

describe('latent attention', () => {
  // DeepSeek-V2 (arXiv 2405.04434), table 1: a cache of (4 + 1/2) head widths a token and layer.
  it('of DeepSeek-V2 keeps 576 elements a token and layer, whatever the heads', () => {
    const mla = { queryRank: 1536, keyValueRank: 512, nopeHeadDim: 128, ropeHeadDim: 64, valueHeadDim: 128 }
    for (const heads of [16, 128]) {
      const model = spelledOut('m', {
        ...shape,
        heads,
        kvHeads: heads,
        layers: 60,
        attention: { kind: 'mla', mla },
      })
      expect(kvCacheBytesPerToken(model, 2)).toBe(60 * 576 * 2)
    }
  })

  it('has the projections that its authors draw', () => {
    const mla = { queryRank: 12, keyValueRank: 10, nopeHeadDim: 8, ropeHeadDim: 4, valueHeadDim: 6 }
    const latent = (queryRank: number | null) =>
      spelledOut('m', {
        ...shape,
        kvHeads: 4,
        layers: 1,
        attention: { kind: 'mla', mla: { ...mla, queryRank } },
      })
    const keyValue = 64 * (10 + 4) + 10 * 4 * (8 + 6)
    const output = 4 * 6 * 64
    expect(layerParameters(latent(12)).attention).toBe(64 * 12 + 12 * 4 * 12 + keyValue + output)
    expect(layerParameters(latent(null)).attention).toBe(64 * 4 * 12 + keyValue + output)
    expect(layerParameters(latent(12)).norm).toBe(2 * 64 + 12 + 10)
  })

  law(
    'multiplies queries with keys of one width and scores with values of another, where it has an index those that it chooses',
    100,
    [latentModels, lengths],
    (model, length) => {
      const { latent, index } = model.attention
      if (!latent) throw new Error('the model is latent')
      const widths = latent.nopeHeadDim + latent.ropeHeadDim + latent.valueHeadDim
      const met = Math.min(length, index?.positions ?? length)
      const attending = 2 * model.layers * met * model.heads * widths
      const indexed = Math.round(model.layers * indexedShare(model))
      const scoring = index ? 2 * indexed * length * index.heads * index.headDim : 0
      expectClose(forwardFlops(model, 1, length, 'full').dotProducts, attending + scoring)
    },
  )
})

describe('the cache of a sequence', () => {
  law('without windows is that of its tokens', 100, [denseModels, lengths], (model, length) => {
    expect(kvCacheBytes(model, length, 2)).toBe(length * kvCacheBytesPerToken(model, 2))
  })
})
