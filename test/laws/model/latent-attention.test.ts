/** Latent attention in training: its matmuls match its parameters, and its states are sharded as the ZeRO stages say. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { compile } from '../../../src/cost/compile/compile.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setBatch, setMesh, sumTerms, termValue } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { attendedShare } from '../../../src/model/flops.ts'
import { layerParameters } from '../../../src/model/parameters.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { weightsOf } from '../../../src/sharding/component.ts'
import { derive } from '../../../src/sharding/derive.ts'
import { elementsOf } from '../../../src/sharding/elements.ts'
import { numerator } from '../../../src/sharding/monomial.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { freely, padded } from '../../rounding.ts'
import { layerComponents, layerTrainFlops } from '../../rules-of-thumb.ts'
import { anyModels, latentModels } from './models.ts'

const precision = {
  weights: 'bf16',
  compute: 'bf16',
  kvCache: 'bf16',
  gradients: 'bf16',
  optimizer: 'fp32',
} as const

/** Of the kind of products that is asked for, forwards and backwards, on one chip, a sequence of so many tokens. */
function flopsOf(
  model: Transformer,
  length: number,
  attention: boolean,
  pass: 'forward' | 'backward',
): number {
  const extents = extentsOf(model, length)
  const scale = createScale()
  setMesh(scale, unitMesh, extents, freely)
  setBatch(scale, 1)
  const attended = attendedShare(model, length, 'full')
  return layerComponents(model, 'sequence').reduce((sum, component) => {
    const derived = derive(component, { zeroStage: 0, regatherActivations: false })
    const assumptions = { ...book, attentionFlops: 'full' } as const
    const { products } = compile(derived, extents, precision, assumptions, attended)[pass]
    const own = products.filter((product) => product.attention === attention)
    return sum + own.reduce((flops, product) => flops + termValue(product.flops, scale), 0)
  }, 0)
}

describe('the products of a layer', () => {
  law(
    'are two FLOPs for each parameter and token forwards, and twice that backwards',
    50,
    [latentModels, fc.integer({ min: 1, max: 5000 })],
    (model, tokens) => {
      const { mlp, projections } = layerTrainFlops(model, tokens, 1, 'none')
      const forward = flopsOf(model, tokens, false, 'forward')
      const backward = flopsOf(model, tokens, false, 'backward')
      expect(forward / ((mlp + projections) / 3)).toBeCloseTo(1, 9)
      expect(backward / forward).toBeCloseTo(2, 9)
    },
  )

  law(
    'are so of every model whose layers are alike, of experts those that a token visits',
    100,
    [anyModels, fc.integer({ min: 1, max: 5000 })],
    (model, tokens) => {
      const forward = flopsOf(model, tokens, false, 'forward')
      const backward = flopsOf(model, tokens, false, 'backward')
      expect(backward / forward).toBeCloseTo(2, 9)
    },
  )

  law(
    'are the dot products of keys and values of their own widths, with five for two backwards',
    50,
    [latentModels, fc.integer({ min: 1, max: 5000 })],
    (model, length) => {
      const { dotProducts } = layerTrainFlops(model, length, length, 'full')
      expect(flopsOf(model, length, true, 'forward') / (dotProducts / 3)).toBeCloseTo(1, 9)
      const { nopeHeadDim = 0, ropeHeadDim = 0, valueHeadDim = 0 } = model.attention.latent ?? {}
      const [key, value] = [nopeHeadDim + ropeHeadDim, valueHeadDim]
      const backwards = flopsOf(model, length, true, 'backward') / flopsOf(model, length, true, 'forward')
      expect(backwards).toBeCloseTo((2.5 * (key + value)) / (key + value), 9)
    },
  )
})

describe('the weights of latent attention', () => {
  law('are its parameters, but for norms', 100, [latentModels], (model) => {
    const [attention] = layerComponents(model, 'sequence')
    if (!attention) throw new Error('A layer has attention')
    const extents = extentsOf(model, 1)
    const held = weightsOf(attention).map((weight) => numerator(elementsOf(weight), extents))
    const counted = layerParameters(model).attention
    expect(held.reduce((sum, size) => sum + size, 0) / counted).toBeCloseTo(1, 12)
  })

  it('are sharded over every chip that is not a pipeline stage under ZeRO-3, but for low ranks over tensor', () => {
    const made = problem({
      model: 'deepseek-v2-lite',
      chip: 'h100-sxm',
      chips: 8,
      batchTokens: 1 << 20,
      sequenceLength: 4096,
    })
    const model = costModel(made)
    const weights = (mesh: Partial<Mesh>, stage: 0 | 3) => {
      const scale = createScale()
      setMesh(scale, { ...unitMesh, ...mesh }, model.extents, padded)
      return sumTerms(stageModel(model, stage).layerStates.weights, scale)
    }
    const whole = weights({}, 0)
    expect(weights({ fsdp: 4, context: 2 }, 3)).toBeCloseTo(whole / 8, 0)
    expect(weights({ data: 8 }, 3)).toBe(whole)
    const tensor = weights({ tensor: 8 }, 0)
    expect(tensor).toBeGreaterThan(whole / 8)
    const { dModel, layers } = made.model
    const lowRank = dModel * (512 + 64) + 2 * dModel
    // All layers but the first have a router, which is whole on each rank too.
    const router = ((layers - 1) / layers) * 64 * dModel
    expect(tensor).toBeCloseTo(whole / 8 + (7 / 8) * 2 * (lowRank + router), 0)
  })
})
