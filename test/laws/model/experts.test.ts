import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expertLayerParameters, expertLayers } from '../../../src/model/expert-layers.ts'
import { trainFlopsPerToken } from '../../../src/model/flops.ts'
import { kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { layerParameters, parameterCount } from '../../../src/model/parameters.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import { law } from '../../law.ts'
import { anyModels, denseModels, expertModels } from './models.ts'

const shape = { dModel: 8, dFf: 32, heads: 2, vocab: 16, gatedMlp: true, tiedEmbeddings: true }

describe('a mixture of experts', () => {
  law(
    'of one expert that every token visits is the dense model and a router of D',
    100,
    [denseModels],
    (dense) => {
      const experts = {
        experts: 1,
        activeExperts: 1,
        sharedExperts: 0,
        dFfExpert: dense.dFf,
        denseLayers: 0,
        every: 1,
      }
      const mixture = { ...dense, experts }
      const router = dense.layers * dense.dModel
      expect(parameterCount(mixture).total).toBe(parameterCount(dense).total + router)
      expect(parameterCount(mixture).active).toBe(parameterCount(mixture).total)
      expect(trainFlopsPerToken(mixture, 4096, 'full')).toBe(
        trainFlopsPerToken(dense, 4096, 'full') + 6 * router,
      )
      expect(kvCacheBytesPerToken(mixture, 2)).toBe(kvCacheBytesPerToken(dense, 2))
    },
  )

  law(
    'has as many parameters that a token does not meet as experts that it does not visit',
    100,
    [expertModels],
    (model) => {
      const { total, active } = parameterCount(model)
      const { expert } = expertLayerParameters(model)
      const idle = (model.experts?.experts ?? 0) - (model.experts?.activeExperts ?? 0)
      expect(total - active).toBe(expertLayers(model) * idle * expert)
    },
  )

  law(
    'computes alike however many experts it keeps, but for the router',
    100,
    [expertModels, fc.integer({ min: 1, max: 64 })],
    (model, more) => {
      const { experts } = model
      if (!experts) throw new Error('a mixture has experts')
      const larger = { ...model, experts: { ...experts, experts: experts.experts + more } }
      const router = 6 * expertLayers(model) * model.dModel * more
      expect(trainFlopsPerToken(larger, 128, 'none')).toBe(trainFlopsPerToken(model, 128, 'none') + router)
    },
  )

  it('has a layer with experts at the end of each period after the dense ones', () => {
    const layersWithExperts = (layers: number, denseLayers: number, every: number) =>
      expertLayers(
        spelledOut('m', {
          ...shape,
          layers,
          moe: { experts: 4, activeExperts: 1, dFfExpert: 8, denseLayers, every },
        }),
      )
    expect(layersWithExperts(61, 3, 1)).toBe(58)
    expect(layersWithExperts(48, 0, 2)).toBe(24)
    expect(layersWithExperts(47, 0, 2)).toBe(23)
    expect(layersWithExperts(48, 1, 4)).toBe(11)
    expect(layersWithExperts(2, 3, 1)).toBe(0)
  })

  it('is counted by hand', () => {
    const moe = { experts: 4, activeExperts: 2, sharedExperts: 1, dFfExpert: 16, denseLayers: 1 }
    const count = parameterCount(spelledOut('m', { ...shape, layers: 3, moe }))
    const [dense, expert, router] = [3 * 8 * 32, 3 * 8 * 16, 8 * 4]
    expect(count.mlp).toBe(dense + 2 * (5 * expert + router))
    expect(count.activeMlp).toBe(dense + 2 * (3 * expert + router))
    expect(count.experts).toBe(2 * 4 * expert)
  })
})

describe('layers that predict further tokens', () => {
  law(
    'are counted beside the total and compute nothing',
    100,
    [anyModels, fc.integer({ min: 1, max: 3 })],
    (model, multiTokenLayers) => {
      const longer = { ...model, multiTokenLayers }
      expect(parameterCount({ ...longer, multiTokenLayers: 0 })).toEqual(parameterCount(model))
      expect(parameterCount(longer).total).toBe(parameterCount(model).total)
      expect(parameterCount(longer).multiToken).toBeGreaterThan(
        multiTokenLayers * layerParameters(model).attention,
      )
      expect(trainFlopsPerToken(longer, 512, 'full')).toBe(trainFlopsPerToken(model, 512, 'full'))
    },
  )
})
