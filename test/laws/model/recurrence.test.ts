/** Layers with a recurrence: what they add to a model, what they keep, and what of it grows with a sequence. */

import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { compile } from '../../../src/cost/compile/compile.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setMesh, sumTerms, termValue } from '../../../src/cost/compile/term.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { attendedShare, forwardFlops } from '../../../src/model/flops.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import {
  attendingLayers,
  attends,
  scanFlops,
  stateBytesPerSequence,
  widthsOf,
} from '../../../src/model/recurrence.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { restricted, weightsOf } from '../../../src/sharding/component.ts'
import { derive, movesOf } from '../../../src/sharding/derive.ts'
import { elementsOf } from '../../../src/sharding/elements.ts'
import { numerator } from '../../../src/sharding/monomial.ts'
import { layerParts } from '../../../src/sharding/tables/training-layout.ts'
import { catalogueModel } from '../../catalogue.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { bf16 } from '../../problem.ts'
import { freely, padded } from '../../rounding.ts'

const next = catalogueModel('qwen3-next-80b-a3b')
/** Without the layer that predicts a further token, so that its layers are those that are counted. */
const alone: Transformer = { ...next, multiTokenLayers: 0 }

function mixersOf(model: Transformer) {
  const [mixers] = layerParts(model, 'sequence')
  if (!mixers) throw new Error('a layer has a mixer')
  return mixers.component
}

describe('a model with a recurrence', () => {
  // Parameters that the Hub counts in the files of Qwen3-Next-80B-A3B-Instruct, those of the MTP module among them.
  it('has the published parameters to the last, with the gates of shared experts and the norms of queries and keys', () => {
    const { total, multiToken } = parameterCount(next)
    const [gates, norms] = [49 * 2048, 13 * 2 * 256]
    expect(total + multiToken + gates + norms).toBe(81_324_862_720)
  })

  // Of Kimi-Linear-48B-A3B-Instruct as well: biases of its routers are what is left out.
  it('has them where attention is latent, and gates are made through low ranks', () => {
    const { total } = parameterCount(catalogueModel('kimi-linear-48b-a3b'))
    expect(total + 26 * 256).toBe(49_122_681_728)
  })

  it('attends in the last of every four layers', () => {
    const layers = Array.from({ length: next.layers }, (_, layer) => layer)
    expect(layers.filter((layer) => attends(next, layer))).toEqual([
      3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47,
    ])
    expect(attendingLayers(next)).toBe(12)
  })

  it('attends in the very last layer too, where it says so', () => {
    const kimi = catalogueModel('kimi-linear-48b-a3b')
    const layers = Array.from({ length: kimi.layers }, (_, layer) => layer)
    expect(layers.filter((layer) => attends(kimi, layer))).toEqual([3, 7, 11, 15, 19, 23, 26])
    expect(attendingLayers(kimi)).toBe(7)
  })

  it('keeps keys and values of the layers that attend alone, and states that do not grow', () => {
    const states = 36 * (32 * 128 * 128 * 4 + 3 * 8192 * 2)
    expect(stateBytesPerSequence(next)).toBe(states)
    for (const length of [1, 1000, 262_144])
      expect(kvCacheBytes(next, length, 2)).toBe(states + 12 * 2 * 2 * 256 * 2 * length)
  })

  it('has scans whose FLOPs do not depend on the length, beside dot products of a quarter of the layers', () => {
    const at = (length: number) => forwardFlops(next, 1, length, 'full').dotProducts
    expect(scanFlops(next)).toBe(2 * 32 * (3 * 128 * 128 + 64 * 5 * 128))
    expect(at(1000)).toBe(36 * scanFlops(next) + 12 * 4 * 1000 * 16 * 256)
    expect(forwardFlops(next, 1, 1000, 'none').dotProducts).toBe(0)
  })
})

describe.each([
  alone,
  catalogueModel('kimi-linear-48b-a3b'),
])('the mixers of the average layer of $name', (alone) => {
  it('have the weights that are counted, but for what no matmul meets', () => {
    const extents = extentsOf(alone, 1)
    const held = weightsOf(mixersOf(alone)).map((weight) => numerator(elementsOf(weight), extents))
    const sum = held.reduce((all, size) => all + size, 0)
    expect((sum * alone.layers) / parameterCount(alone).attention).toBeCloseTo(1, 12)
  })

  it('take the FLOPs that are counted forwards, in matmuls and in kernels', () => {
    const [length, attention] = [3000, 'full'] as const
    const extents = extentsOf(alone, length)
    const scale = createScale()
    setMesh(scale, unitMesh, extents, freely)
    const { products } = compile(
      derive(mixersOf(alone), { zeroStage: 0, regatherActivations: false }),
      extents,
      bf16,
      { ...book, attentionFlops: attention },
      attendedShare(alone, length, attention),
    ).forward
    const flops = (kernels: boolean) =>
      products
        .filter((product) => product.attention === kernels)
        .reduce((sum, product) => sum + termValue(product.flops, scale), 0)
    const counted = forwardFlops(alone, length, length, attention)
    expect((alone.layers * flops(false)) / counted.projections).toBeCloseTo(1, 9)
    expect((alone.layers * flops(true)) / counted.dotProducts).toBeCloseTo(1, 9)
  })
})

describe('the mixers of its average layer', () => {
  it('exchange positions for heads over context, before the scan and after it, forwards and backwards', () => {
    const component = restricted(mixersOf(alone), ['context'])
    const exchanged = movesOf(
      derive(component, { zeroStage: 0, active: ['context'], regatherActivations: false }),
    ).filter(({ operation }) => operation === 'AllToAll')
    const extents = extentsOf(alone, 1)
    const told = exchanged.map(({ pass, elements }) => [pass, numerator(elements, extents) / 0.75])
    const { projected, values } = widthsOf(recurrenceOf(alone))
    expect(told).toEqual([
      ['forward', projected],
      ['forward', values],
      ['backward', values],
      ['backward', projected],
    ])
  })

  it('are gathered once and reduced once over tensor, as those of a layer that attends are', () => {
    const movesOver = (model: Transformer) =>
      movesOf(
        derive(restricted(mixersOf(model), ['tensor']), {
          ...{ zeroStage: 0, active: ['tensor'], regatherActivations: false },
        }),
      )
        .filter(({ every }) => every === 'microbatch')
        .map(({ pass, operation, elements }) => [pass, operation, numerator(elements, extentsOf(model, 1))])
    const { recurrence: _, ...attending } = alone
    expect(movesOver(alone)).toEqual(movesOver(attending))
  })

  it('share out their weights over tensor', () => {
    const extents = extentsOf(alone, 1)
    const held = (mesh: Partial<Mesh>) => {
      const scale = createScale()
      setMesh(scale, { ...unitMesh, ...mesh }, extents, padded)
      const terms = weightsOf(mixersOf(alone)).map((weight) => elementsOf(weight))
      return terms.reduce(
        (sum, { divide, extents: own }) =>
          sum +
          sumTerms(
            [{ base: own.reduce((size, name) => size * (extents[name] ?? 1), 1), selector: 0, mask: divide }],
            scale,
          ),
        0,
      )
    }
    expect(held({ tensor: 2 }) / held({})).toBeCloseTo(1 / 2, 12)
  })
})

describe('a plan of inference', () => {
  const step = (model: string, context: number, sequences = 64) => {
    const problem = inferenceProblem({
      model,
      chip: 'h200-sxm',
      chips: 8,
      workload: generation(sequences, context),
    })
    const layout = { attention: '1d/heads', experts: '1d/spread', unembedding: '1d' }
    return legal(evaluateInference(problem, { mesh: { ...unitMesh, tensor: 2, data: 4 }, layout }, solver))
      .plan
  }

  it('has the states of its sequences in memory at any length, and keys and values that grow', () => {
    const cached = (context: number) => step(next.name, context).memoryBytes.kvCache
    const each = (context: number) => kvCacheBytes(next, context, 2) / 2
    for (const context of [1024, 65_536]) expect(cached(context) / (16 * each(context))).toBeCloseTo(1, 9)
  })

  it('takes longer with the states of more sequences, as they are read and written once a token', () => {
    const seconds = (sequences: number) => step(next.name, 1024, sequences).streaming.kvCacheSeconds
    expect(seconds(128) / seconds(64)).toBeCloseTo(2, 2)
  })

  it('prefills in a time that grows less than attention of all layers would', () => {
    const seconds = (promptLength: number) => {
      const problem = inferenceProblem({
        model: next.name,
        chip: 'h200-sxm',
        chips: 8,
        workload: prompts(4, promptLength),
      })
      const layout = { attention: '1d/heads', experts: '1d/spread', unembedding: '1d' }
      const plan = { mesh: { ...unitMesh, tensor: 2, data: 4 }, layout }
      return legal(evaluateInference(problem, plan, solver)).plan.stepTimeSeconds
    }
    expect(seconds(32_768) / seconds(16_384)).toBeLessThan(2.5)
  })
})

function recurrenceOf({ recurrence }: Transformer) {
  if (!recurrence) throw new Error('the model has no recurrence')
  return recurrence
}
