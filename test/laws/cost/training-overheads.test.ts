/** Costs of training beyond the matmuls that the algebra derives: elementwise kernels, sustained clocks, waiting. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setBatch, setMesh, type Term, termValue } from '../../../src/cost/compile/term.ts'
import { computeRates, trainingRates } from '../../../src/cost/compute/compute.ts'
import {
  elementwiseBackward,
  elementwiseForward,
  lossProduct,
} from '../../../src/cost/compute/elementwise.ts'
import { stepOverhead } from '../../../src/cost/step/step-overhead.ts'
import { policyRows } from '../../../src/recipe/policy.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { layerParts, unembedding } from '../../../src/sharding/tables/training-layout.ts'
import { forAll, law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

const work = { model: 'llama-3-8b', batchTokens: 65_536, sequenceLength: 4096 }
const made = problem({ ...work, chip: 'h100-sxm', chips: 64 })
const { model, precision, assumptions, cluster } = made
const { dModel: D, dFf: F, heads: N, kvHeads: K, headDim: H, vocab: V } = model
const T = work.sequenceLength
const extents = extentsOf(model, T)
const parts = layerParts(model, 'sequence')

function bytesPerToken(terms: readonly Term[]): number {
  const scale = createScale()
  setMesh(scale, unitMesh, extents, padded)
  setBatch(scale, 1)
  return terms.reduce((sum, term) => sum + termValue(term, scale), 0) / T
}

function backwardBytes(name?: string): number {
  const policy = policyRows.find((own) => own.name === name)
  return bytesPerToken(elementwiseBackward(parts, model, extents, precision, policy).plain.bytes)
}

describe('Elementwise kernels of a gated layer in bf16', () => {
  const forward = 2 * (8 * D + 3 * F + 2 * (N + K) * H)

  it('stream norms, sums, the activation function and rotations once forwards, twice backwards', () => {
    expect(bytesPerToken(elementwiseForward(parts, model, extents, precision).plain.bytes)).toBe(forward)
    expect(backwardBytes()).toBe(2 * forward)
    expect(backwardBytes('none')).toBe(2 * forward)
  })

  it('run again where a policy keeps the input alone, all but the last sum', () => {
    expect(backwardBytes('full') - backwardBytes('none')).toBe(forward - 2 * 2 * D)
  })

  it('run again as far as a policy did not keep what they make', () => {
    expect(backwardBytes('selective')).toBe(backwardBytes('none'))
    expect(backwardBytes('minimal') - backwardBytes('none')).toBe(2 * (4 * D + 3 * F))
    expect(backwardBytes('save_out_proj') - backwardBytes('none')).toBe(forward - 2 * 4 * D)
  })

  it('of the loss widen the logits and read them, and write their gradient', () => {
    const head = unembedding('sequence')
    expect(bytesPerToken(lossProduct(head, 'forward', extents, precision).bytes)).toBe(10 * V)
    expect(bytesPerToken(lossProduct(head, 'backward', extents, precision).bytes)).toBe(6 * V)
  })
})

describe('Rates of training', () => {
  it('are those of kernels measured alone where nothing says otherwise', () => {
    const plain = { ...assumptions, sustainedShare: 1 }
    expect(trainingRates(cluster.chip, 'bf16', plain)).toEqual(computeRates(cluster.chip, 'bf16', plain))
  })

  law(
    'slow down matmuls and attention by what is not sustained, and leave memory alone',
    100,
    [fc.double({ min: 0.1, max: 1, noNaN: true })],
    (sustainedShare) => {
      const alone = computeRates(cluster.chip, 'bf16', assumptions)
      const rates = trainingRates(cluster.chip, 'bf16', { ...assumptions, sustainedShare })
      expect(rates.secondsPerFlop * sustainedShare).toBeCloseTo(alone.secondsPerFlop, 25)
      expect(rates.secondsPerAttentionFlop * sustainedShare).toBeCloseTo(alone.secondsPerAttentionFlop, 25)
      expect(rates.secondsPerByte).toBe(alone.secondsPerByte)
    },
  )

  it('of fp8 are less than twice those of bf16, for matmuls; attention stays in bf16', () => {
    const [narrow, wide] = (['fp8', 'bf16'] as const).map((type) =>
      trainingRates(cluster.chip, type, { ...assumptions, fp8Share: 0.75 }),
    )
    const peaks = cluster.chip.peakFlopsPerSecond
    expect((wide?.secondsPerFlop ?? 0) / (narrow?.secondsPerFlop ?? 0)).toBeCloseTo(
      (0.75 * (peaks.fp8 ?? 0)) / (peaks.bf16 ?? 0),
      12,
    )
    expect(narrow?.secondsPerAttentionFlop).toBe(wide?.secondsPerAttentionFlop)
  })

  it('of fp8 are never above its peak, and below it in proportion to its share, which may be over 1', () => {
    const fraction = fc.double({ min: 0.1, max: 1, noNaN: true })
    forAll(
      100,
      [fraction, fraction, fc.double({ min: 0.1, max: 2, noNaN: true })],
      (matmulEfficiency, sustainedShare, fp8Share) => {
        const assumed = { ...assumptions, matmulEfficiency, sustainedShare, fp8Share }
        const peak = cluster.chip.peakFlopsPerSecond.fp8 ?? 0
        const { secondsPerFlop } = trainingRates(cluster.chip, 'fp8', assumed)
        const reached = Math.min(1, matmulEfficiency * sustainedShare * fp8Share)
        expect(secondsPerFlop * peak * reached).toBeCloseTo(1, 12)
      },
    )
  })
})

describe('The overhead of a step', () => {
  const assumed = { ...assumptions, stepOverheadSeconds: 3, stragglerSeconds: 0.5 }
  const of = (hardware: Pick<ProblemOptions, 'chip' | 'chips' | 'topology' | 'slices'>) =>
    stepOverhead(problem({ ...work, ...hardware }).cluster, assumed)

  it('is the step alone on one node and on less', () => {
    for (const chips of [1, 4, 8]) expect(of({ chip: 'h100-sxm', chips })).toBe(3)
  })

  it('grows by as much with every doubling of the nodes, or of the slices', () => {
    expect([16, 32, 64].map((chips) => of({ chip: 'h100-sxm', chips }))).toEqual([3.5, 4, 4.5])
    expect([1, 2, 4].map((slices) => of({ chip: 'tpu-v5e', topology: [4, 4], slices }))).toEqual([3, 3.5, 4])
  })
})
