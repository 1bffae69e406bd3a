/** Costs of matmuls beyond their FLOPs: small matmuls, gradient buffers, casts, and the wait where tokens are routed. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompiledProduct } from '../../../src/cost/compile/compile.ts'
import { createScale, type Scale, setBatch, setMesh, termValue } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { computeTime } from '../../../src/cost/compute/compute.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import type { MixtureOfExperts } from '../../../src/model/transformer.ts'
import type { Precision } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'

const [D, F, N, K, H] = [512, 2048, 8, 2, 64]
const sequenceLength = 1024

const dense: Architecture = {
  layers: 4,
  dModel: D,
  dFf: F,
  heads: N,
  kvHeads: K,
  headDim: H,
  vocab: 8192,
  gatedMlp: true,
  tiedEmbeddings: false,
}

const mixture: MixtureOfExperts = {
  experts: 8,
  activeExperts: 2,
  sharedExperts: 0,
  dFfExpert: 1024,
  denseLayers: 0,
  every: 1,
}

function costed(model: Architecture, rest: Partial<ProblemOptions> = {}): CostModel {
  return costModel(
    problem({ model, chip: 'h100-sxm', chips: 8, batchTokens: 8 * sequenceLength, sequenceLength, ...rest }),
  )
}

function scaleOf(model: CostModel, mesh: Partial<Mesh> = {}, sequences = 8): Scale {
  const scale = createScale()
  setMesh(scale, { ...unitMesh, ...mesh }, model.extents, model.problem.assumptions)
  setBatch(scale, sequences)
  return scale
}

function bytesOf(products: readonly CompiledProduct[], scale: Scale): number {
  return products.flatMap(({ bytes }) => bytes).reduce((sum, term) => sum + termValue(term, scale), 0)
}

function forwardOf(model: CostModel): readonly CompiledProduct[] {
  return model.stages[0]?.layer.forward.products ?? []
}

/** HBM and elementwise work are out of it: what is left are FLOPs, and what small matmuls lose. */
const arithmetic = { basis: 'calibrated', elementwise: false, hbmEfficiency: 1e6 } as const

describe('the experts of a chip', () => {
  const sizes = fc.constantFrom(1, 2, 4, 8)

  law(
    'are a matmul each: twice as many of half the width lose what as many more small matmuls do',
    20,
    [sizes, fc.constantFrom(1, 2, 4), fc.boolean()],
    (expert, data, gatedMlp) => {
      const of = (experts: Partial<MixtureOfExperts>) =>
        costed({ ...dense, gatedMlp, experts: { ...mixture, ...experts } }, { assumptions: arithmetic })
      const [few, many] = [of({}), of({ experts: 16, activeExperts: 4, dFfExpert: 512 })]
      const time = (model: CostModel, products: readonly CompiledProduct[]) =>
        computeTime(products, scaleOf(model, { expert, data }), model.rates)
      const lost = (8 / expert) * few.rates.halfFlops * few.rates.secondsPerFlop
      const matrices = gatedMlp ? 3 : 2
      const forward = time(many, forwardOf(many)) - time(few, forwardOf(few))
      const backward = time(many, many.leastBackward.products) - time(few, few.leastBackward.products)
      expect(forward / lost).toBeCloseTo(matrices, 6)
      expect(backward / lost).toBeCloseTo(2 * matrices, 6)
    },
  )

  it('are as many more matmuls than an MLP as there are on it, shared ones are a single one', () => {
    const model = costed({ ...dense, experts: { ...mixture, sharedExperts: 2 } })
    const counts = (expert: number) => {
      const scale = scaleOf(model, { expert })
      return forwardOf(model)
        .filter(({ flops, attention }) => flops.base > 0 && !attention)
        .map(({ matmuls }) => termValue(matmuls, scale))
    }
    expect(counts(1).filter((count) => count !== 1)).toEqual([8, 8, 8])
    expect(counts(4).filter((count) => count !== 1)).toEqual([2, 2, 2])
    expect(counts(8).every((count) => count === 1)).toBe(true)
    expect(counts(8)).toHaveLength(4 + 3 + 3)
  })
})

describe('weight gradients', () => {
  it('are added to a buffer that is read and written in the precision of gradients', () => {
    const of = (gradients: Precision['gradients'], gradientBuffer: boolean) =>
      costed(dense, {
        assumptions: { basis: 'calibrated', gradientBuffer },
        precision: {
          weights: 'bf16',
          compute: 'bf16',
          kvCache: 'bf16',
          gradients,
          optimizer: 'fp32',
        },
      })
    const parameters = D * H * (2 * N + 2 * K) + 3 * D * F
    const bytes = (model: CostModel) => bytesOf(model.weightGradients.layer, scaleOf(model, {}, 1))
    const written = bytes(of('fp32', false))
    expect(bytes(of('bf16', false))).toBe(written)
    expect(bytes(of('bf16', true)) - written).toBe((2 * 2 - 2) * parameters)
    expect(bytes(of('fp32', true)) - written).toBe((2 * 4 - 2) * parameters)
  })
})

describe('casts', () => {
  const precision = (compute: Precision['compute']): Precision => ({
    weights: 'bf16',
    compute,
    kvCache: 'bf16',
    gradients: 'fp32',
    optimizer: 'fp32',
  })
  const streamed = (products: readonly CompiledProduct[], scale: Scale) =>
    bytesOf(
      products.filter(({ flops }) => flops.base === 0),
      scale,
    )
  const tokens = 8 * sequenceLength

  it('read what enters matmuls once, and write its rows and its columns', () => {
    const [narrow, wide] = [costed(dense, { precision: precision('fp8') }), costed(dense)]
    const more = (products: (model: CostModel) => readonly CompiledProduct[]) =>
      streamed(products(narrow), scaleOf(narrow)) - streamed(products(wide), scaleOf(wide))
    expect(more(forwardOf)).toBe((2 + 2) * tokens * (2 * D + N * H + F))
    expect(more((model) => model.leastBackward.products)).toBe(
      (2 + 2) * tokens * (2 * D + N * H + 2 * K * H + 2 * F),
    )
  })

  it('are repeated for what is recomputed', () => {
    const model = costed(dense, { precision: precision('fp8'), rematerialization: ['none', 'full'] })
    const [kept = [], recomputed = []] = (model.stages[0]?.layer.backward ?? []).map(
      ({ products }) => products,
    )
    const scale = scaleOf(model)
    expect(streamed(recomputed, scale) - streamed(kept, scale)).toBeGreaterThanOrEqual(
      (2 + 2) * tokens * 2 * D,
    )
  })

  it('take none where matmuls run in what activations are kept in', () => {
    const elements = (compute: Precision['compute'], assumptions: Partial<ProblemOptions> = {}) =>
      forwardOf(costed(dense, { precision: precision(compute), ...assumptions })).length
    expect(elements('bf16')).toBe(elements('fp32'))
    expect(elements('fp8')).toBeGreaterThan(elements('bf16'))
    expect(elements('fp8', { assumptions: 'book' })).toBe(elements('bf16', { assumptions: 'book' }))
  })
})

describe('layers that route tokens', () => {
  it('take their overhead as often as there are, and not where there is one expert', () => {
    const of = (experts: Partial<MixtureOfExperts>) =>
      costed({ ...dense, experts: { ...mixture, ...experts } })
    const { layerOverheadSeconds: own, expertLayerOverheadSeconds: more } = of({}).problem.assumptions
    expect(more).toBeGreaterThan(0)
    expect(costed(dense).layerOverhead).toBe(own)
    expect(of({}).layerOverhead).toBeCloseTo(own + more, 12)
    expect(of({ every: 2 }).layerOverhead).toBeCloseTo(own + more / 2, 12)
    expect(of({ denseLayers: 3 }).layerOverhead).toBeCloseTo(own + more / 4, 12)
    expect(of({ experts: 1, activeExperts: 1 }).layerOverhead).toBe(own)
  })
})
