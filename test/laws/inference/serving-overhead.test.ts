import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { GenerateWorkload } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'

const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
const context = 4096
const { hbmEfficiency } = inferenceProblem({
  ...{ model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 1, workload: generation(1, context) },
  assumptions: { basis: 'calibrated' },
}).assumptions

type Asked = Parameters<typeof inferenceProblem<GenerateWorkload>>[0]

function planOf(
  mesh: Partial<Mesh>,
  batch: number,
  changed: Partial<Assumptions> = {},
  of: Pick<Partial<Asked>, 'model' | 'precision'> & { readonly layout?: typeof layout } = {},
): InferencePlan {
  const { layout: written = layout, ...asked } = of
  const whole = { ...unitMesh, ...mesh }
  const problem = inferenceProblem({
    model: 'llama-3.1-8b',
    chip: 'h100-sxm',
    chips: whole.tensor * whole.data,
    workload: generation(batch, context),
    assumptions: { basis: 'calibrated', ...changed },
    ...asked,
  })
  return legal(evaluateInference(problem, { mesh: whole, layout: asked.model ? {} : written }, solver)).plan
}

const seconds = (...of: Parameters<typeof planOf>) => planOf(...of).stepTimeSeconds
const batches = fc.integer({ min: 1, max: 64 })

describe('a step of generation', () => {
  law(
    'takes longer by its own time for each sequence of the fullest replica',
    6,
    [batches, fc.constantFrom(1, 2, 4)],
    (batch, data) => {
      const each = 1e-3
      const [with_, without] = [each, 0].map((inferenceSequenceOverheadSeconds) =>
        seconds({ data }, data * batch, { inferenceSequenceOverheadSeconds }),
      )
      expect((with_ ?? 0) - (without ?? 0)).toBeCloseTo(batch * each, 9)
    },
  )

  it('waits as long for collectives without bytes among 2 chips of a node as among 8', () => {
    const waits = [2, 4, 8].map(
      (tensor) =>
        seconds({ tensor }, 8, { inferenceCollectiveSeconds: 1e-3 }) -
        seconds({ tensor }, 8, { inferenceCollectiveSeconds: 0 }),
    )
    for (const wait of waits) expect(wait).toBeCloseTo(waits[0] ?? Number.NaN, 9)
    // A gather and a scatter around attention and around the MLP of each layer, a gather before the unembedding.
    expect(waits[0]).toBeCloseTo((4 * 32 + 1) * 1e-3, 9)
  })

  law(
    'norms and sums as much on every number of tensor chips where each has whole streams',
    8,
    [batches, fc.constantFrom(1, 2, 4, 8)],
    (batch, tensor) => {
      const [whole, part] = [true, false].map((wholeStreams) => seconds({ tensor }, batch, { wholeStreams }))
      // Norms and sums of attention and of the MLP of each layer (4 D each), and the norm before the unembedding.
      const elements = (2 * 32 * 4 + 2) * batch * 4096 * (1 - 1 / tensor)
      expect((whole ?? 0) - (part ?? 0)).toBeCloseTo((2 * elements) / (3.35e12 * hbmEfficiency), 9)
    },
  )

  it('has the norms of its own sequences alone where tensor chips share them out while attention runs', () => {
    const shared = { attention: '1d/batch', mlp: '1d', unembedding: '1d' }
    const [whole, part] = [true, false].map(
      (wholeStreams) => planOf({ tensor: 8 }, 64, { wholeStreams }, { layout: shared }).stepTimeSeconds,
    )
    const elements = (32 * 4 + 2) * 64 * 4096 * (7 / 8)
    expect((whole ?? 0) - (part ?? 0)).toBeCloseTo((2 * elements) / (3.35e12 * hbmEfficiency), 9)
    const copied = { attention: 'copied-all/batch', mlp: '1d-sequences', unembedding: 'copied-all' }
    const [own, also] = [true, false].map(
      (wholeStreams) => planOf({ tensor: 8 }, 64, { wholeStreams }, { layout: copied }).stepTimeSeconds,
    )
    expect(own).toBe(also)
  })

  law(
    'streams caches, and caches alone, in inverse proportion to what their kernels reach',
    6,
    [batches, fc.double({ min: 0.1, max: 1, noNaN: true })],
    (batch, cacheEfficiency) => {
      const slow = planOf({ tensor: 2 }, batch, { cacheEfficiency }).streaming
      const fast = planOf({ tensor: 2 }, batch, { cacheEfficiency: 1 }).streaming
      expect(slow.weightsSeconds).toBeCloseTo(fast.weightsSeconds, 12)
      const caches = (2 * 32 * context * 8 * 128 * 2 * batch) / 2 / 3.35e12
      expect(slow.kvCacheSeconds - fast.kvCacheSeconds).toBeCloseTo(caches * (1 / cacheEfficiency - 1), 9)
    },
  )

  it('starts the grouped kernels of each layer with experts, and of no other', () => {
    const longer = (model: string) => {
      const of = { model, precision: { weights: 'fp8', compute: 'fp8' } } as const
      const [with_, without] = [1e-3, 0].map(
        (inferenceExpertLayerSeconds) =>
          planOf({ tensor: 8 }, 8, { inferenceExpertLayerSeconds }, of).stepTimeSeconds,
      )
      return (with_ ?? 0) - (without ?? 0)
    }
    expect(longer('mixtral-8x7b')).toBeCloseTo(32e-3, 9)
    // Every second layer.
    expect(longer('llama-4-maverick')).toBeCloseTo(24e-3, 9)
    expect(longer('llama-3.1-8b')).toBe(0)
  })

  it('streams and multiplies experts in four bits as many times as long as they are unpacked for, where they are', () => {
    const weights = (unpackedExpertFactor: number, compute: 'bf16' | 'fp8', type: 'int4' | 'fp8' | 'mxfp4') =>
      planOf(
        { tensor: 4 },
        8,
        { unpackedExpertFactor },
        { model: 'mixtral-8x7b', precision: { weights: type, compute } },
      ).streaming.weightsSeconds
    const multiplied = (unpackedExpertFactor: number) =>
      planOf(
        { tensor: 4 },
        8,
        { unpackedExpertFactor },
        { model: 'mixtral-8x7b', precision: { weights: 'int4', compute: 'bf16' } },
      ).streaming.arithmeticSeconds
    expect(multiplied(2)).toBeGreaterThan(multiplied(1))
    const [once = 0, twice = 0, thrice = 0] = [1, 2, 3].map((factor) => weights(factor, 'bf16', 'int4'))
    expect(twice).toBeGreaterThan(1.5 * once)
    expect(thrice - twice).toBeCloseTo(twice - once, 12)
    expect(weights(3, 'bf16', 'fp8')).toBe(weights(1, 'bf16', 'fp8'))
    // Blackwell multiplies eight bits beside blocks of four, and unpacks nothing.
    expect(weights(3, 'fp8', 'int4')).toBeGreaterThan(weights(1, 'fp8', 'int4'))
    expect(weights(3, 'fp8', 'mxfp4')).toBe(weights(1, 'fp8', 'mxfp4'))
  })

  it('has none of it in the book', () => {
    const book = { ...planOf({ tensor: 8 }, 8, { basis: 'book' }) }
    expect(book.timeSeconds.overhead).toBe(0)
    expect(book.streaming.kvCacheSeconds).toBeCloseTo((2 * 32 * context * 8 * 128 * 2 * 8) / 8 / 3.35e12, 12)
  })
})

describe('a prefill in narrow types', () => {
  const starting = (compute: 'bf16' | 'fp8', chunks: number, seconds: number, model = 'llama-3.1-8b') => {
    const promptLength = 2048
    const problem = inferenceProblem({
      ...{ model, chip: 'h100-sxm', chips: 1 },
      workload: prompts(1, promptLength, { chunkTokens: promptLength / chunks }),
      precision: { weights: compute, compute },
      assumptions: {
        ...{ basis: 'calibrated', inferenceNarrowMatmulSeconds: seconds },
        inferenceLayerHostSeconds: 0,
      },
    })
    return legal(evaluateInference(problem, { mesh: unitMesh, layout: {} }, solver)).plan.stepTimeSeconds
  }

  law(
    'starts the four matmuls of a layer again for every chunk, and that of the head once; in 16 bits nothing',
    3,
    [fc.constantFrom(1, 2, 4, 8)],
    (chunks) => {
      const each = 1e-4
      const added = (compute: 'bf16' | 'fp8') =>
        starting(compute, chunks, each) - starting(compute, chunks, 0)
      expect(added('fp8')).toBeCloseTo((32 * 4 * chunks + 1) * each, 9)
      expect(added('bf16')).toBe(0)
    },
  )

  it('starts none for routed experts, whose grouped kernels have a start of their own', () => {
    const added = starting('fp8', 1, 1e-4, 'qwen3-30b-a3b') - starting('fp8', 1, 0, 'qwen3-30b-a3b')
    expect(added).toBeCloseTo((48 * 2 + 1) * 1e-4, 9)
  })

  it('leaves a step of generation as it is', () => {
    const precision = { weights: 'fp8', compute: 'fp8' } as const
    const [started, not] = [1e-3, 0].map((inferenceNarrowMatmulSeconds) =>
      seconds({}, 8, { inferenceNarrowMatmulSeconds }, { precision }),
    )
    expect(started).toBe(not)
  })
})
