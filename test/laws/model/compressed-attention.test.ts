/** Attention to a window and to pooled positions, and several residual streams: DeepSeek-V4 against its published figures. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { streamTerm } from '../../../src/cost/compile/model-terms.ts'
import { activationTerms } from '../../../src/cost/memory/memory.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { contextGroups, keptPositions, keptScored } from '../../../src/inference/pass/contexts.ts'
import { attentionLayers } from '../../../src/model/attention-layers.ts'
import { cacheElementBytes } from '../../../src/model/cache-type.ts'
import { forwardFlops, indexScores } from '../../../src/model/flops.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { indexParameters } from '../../../src/model/position-index.ts'
import { streamRows } from '../../../src/model/residual-streams.ts'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import { spellingFaults } from '../../../src/model/spelling-faults.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { inputAlone } from '../../../src/recipe/policies.ts'
import { keepEverything } from '../../../src/recipe/policy.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { weightsOf } from '../../../src/sharding/component.ts'
import { elementsOf } from '../../../src/sharding/elements.ts'
import { numerator } from '../../../src/sharding/monomial.ts'
import { inferenceCompressedAttention } from '../../../src/sharding/tables/inference-compressed-attention.ts'
import { layerParts } from '../../../src/sharding/tables/training-layout.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const { models } = loadCatalogue()

function named(name: string): Transformer {
  const found = models.get(name)
  if (!found) throw new Error(`${name} is not in the catalogue`)
  return found.transformer
}

const [flash, pro, before] = [named('deepseek-v4-flash'), named('deepseek-v4-pro'), named('deepseek-v3.2')]
const million = 1e6
const percent = (share: number) => Math.round(100 * share)

describe('DeepSeek-V4', () => {
  it('has 284e9 parameters, 13e9 of them active, and 1.6e12 with 49e9', () => {
    const billions = (model: Transformer) => {
      const { total, active, embedding } = parameterCount(model)
      return [total / 1e9, (active - embedding) / 1e9]
    }
    const [all = 0, active = 0] = billions(flash)
    expect([Math.round(all), Math.round(active)]).toEqual([284, 13])
    const [allOfPro = 0, activeOfPro = 0] = billions(pro)
    expect([Math.round(allOfPro / 100), Math.round(activeOfPro)]).toEqual([16, 49])
  })

  it('has attention of these matrices in a layer', () => {
    const ofIndex = 1024 * 64 * 128 + 4096 * (64 + 4 * 128)
    expect(indexParameters(flash)).toBe(ofIndex)
    const shared = 1024 * (4096 + 64 * 512) + 4096 * 512 + 64 * 512 * 1024 + 8 * 1024 * 4096
    const sparse = 4096 * 4 * 512 + ofIndex
    const heavy = 4096 * 2 * 512
    expect(parameterCount(flash).attention).toBeCloseTo(43 * shared + 21 * sparse + 20 * heavy, 0)
  })

  it('takes 27 % and 10 % of the FLOPs of DeepSeek-V3.2 for a token at 1M, as its authors count them', () => {
    // In FLOPs of fp8: attention in bf16 takes two, the index in fp4 a half; V3.2 is absorbed, with its index in fp8.
    const [wide, narrow] = [2, 1 / 2]
    const equivalent = (model: Transformer) => {
      const { total, dotProducts } = forwardFlops(model, 1, million, 'full')
      const scores = model.layers * indexScores(model, million, 'full')
      return total - dotProducts + narrow * scores + wide * (dotProducts - scores)
    }
    const { total, dotProducts } = forwardFlops(before, 1, million, 'full')
    const absorbed = 61 * 2 * 2048 * 128 * (576 + 512)
    const scores = 61 * 2 * million * 64 * 128
    const reference = total - dotProducts + scores + wide * absorbed
    expect([pro, flash].map((model) => percent(equivalent(model) / reference))).toEqual([27, 10])
  })

  it('keeps 10 % and 7 % of the cache of DeepSeek-V3.2 at 1M, as its authors count them', () => {
    // Rotary parts in bf16 and the rest in fp8, with scales; the index of V4 in fp4. Here a cache has one type, and the index's keys are in fp8.
    const vectors = (model: Transformer) =>
      attentionLayers(model).reduce(
        (sum, { caches, window, pooled }) =>
          sum + caches * ((window ?? 0) + (pooled ? million / pooled.positions : 0)),
        0,
      )
    const own = (model: Transformer, sparse: number) =>
      vectors(model) * (448 + 8 + 2 * 64) + sparse * (million / 4) * (64 + 4)
    const reference = 61 * million * (512 + 16 + 2 * 64 + 128 + 4)
    expect([own(pro, 30), own(flash, 21)].map((bytes) => percent(bytes / reference))).toEqual([10, 7])
    expect(kvCacheBytes(pro, million, 1) / kvCacheBytes(before, million, 1)).toBeCloseTo(0.115, 3)
  })

  it('keeps of a sequence the window, a vector for every 4 or 128 positions, and the index a key for every 4', () => {
    const length = 4096
    const vectors = 43 * 128 + 21 * (length / 4) + 20 * (length / 128)
    expect(kvCacheBytes(flash, length, 2)).toBeCloseTo(2 * 512 * vectors + 21 * 128 * (length / 4), 3)
    expect(43 * keptPositions(flash, length)).toBeCloseTo(vectors, 6)
    expect(keptScored(flash, length)).toBe(1024)
  })

  it('meets the window and the best 512, or one of 128, and scores one of 4', () => {
    const groups = contextGroups(flash, 99_999, 1)
    expect(groups.map(({ share }) => Math.round(share * 43))).toEqual([21, 20, 2])
    for (const { read } of groups) expect(read).toBe(25_000)
    expect(groups.map(({ chosen }) => chosen.read)).toEqual([129 + 512, 129 + 781.25, 129])
    expect(groups.map(({ chosen }) => chosen.met)).toEqual([128 + 512, 128 + 781.25, 128])
  })
})

describe('the tables of compressed attention', () => {
  const sizes = (weights: ReturnType<typeof weightsOf>) =>
    weights.reduce((sum, weight) => sum + numerator(elementsOf(weight), extentsOf(flash, 1)), 0)
  const counted = parameterCount(flash).attention / 43

  it('have the weights that are counted', () => {
    const [trained] = layerParts(flash, 'sequence')
    if (!trained) throw new Error('it has attention')
    expect(sizes(weightsOf(trained.component)) / counted).toBeCloseTo(1, 9)
    const served = inferenceCompressedAttention('1d', 'heads')
    expect(sizes(weightsOf(served)) / counted).toBeCloseTo(1, 9)
  })
})

describe('residual streams beside each other', () => {
  const posed = (model: Transformer) => ({
    ...problem({
      model: 'llama-3.2-1b',
      chip: 'h100-sxm',
      chips: 8,
      sequenceLength: 4096,
      batchTokens: 32_768,
    }),
    model,
  })
  const one: Transformer = { ...flash, residualStreams: 1 }
  const stream = (model: Transformer) =>
    streamTerm(layerParts(model, 'sequence'), extentsOf(model, 4096), posed(model)).base
  const kept = (model: Transformer, policy: typeof inputAlone | typeof keepEverything) =>
    activationTerms(layerParts(model, 'sequence'), policy, extentsOf(model, 4096), posed(model)).reduce(
      (sum, { base }) => sum + base,
      0,
    )

  it('are what a stage sends, and what a layer keeps that keeps its input alone', () => {
    expect(stream(flash)).toBe(4 * stream(one))
    expect(kept(flash, inputAlone)).toBe(4 * kept(one, inputAlone))
  })

  it('are kept before both blocks, with what these give out, where all is kept', () => {
    expect(kept(flash, keepEverything) - kept(one, keepEverything)).toBeCloseTo(
      (44 / 43) * (2 * 3 + 2) * stream(one),
      0,
    )
  })

  it('have weights of 24 rows of their width for each block', () => {
    expect(streamRows(flash)).toBe(2 * 4 * 24)
    const more = parameterCount(flash).total - parameterCount(one).total
    expect(more).toBe((43 * 2 * 4 * 24 + 16) * 4096)
  })
})

describe('a plan of DeepSeek-V4-Flash', () => {
  const step = (context: number) => {
    const asked = inferenceProblem({
      model: 'deepseek-v4-flash',
      chip: 'h200-sxm',
      chips: 8,
      workload: generation(32, context),
      precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
    })
    const layout = {
      attention: '1d/heads',
      experts: '1d/sliced',
      unembedding: '1d',
    }
    return legal(evaluateInference(asked, { mesh: { ...unitMesh, tensor: 8 }, layout }, solver)).plan
  }

  it('has its caches whole on each tensor chip', () => {
    const length = 65_536
    expect(
      step(length).memoryBytes.kvCache / (32 * kvCacheBytes(flash, length, cacheElementBytes(flash, 'fp8'))),
    ).toBeCloseTo(1, 3)
  })

  it('takes hardly longer where sequences are longer', () => {
    const slower = step(262_144).stepTimeSeconds / step(8192).stepTimeSeconds
    expect(slower).toBeGreaterThan(1)
    expect(slower).toBeLessThan(3)
  })
})

describe('compressed attention, as spelled', () => {
  const spelling: Spelling = {
    ...{ layers: 4, dModel: 512, dFf: 1024, heads: 8, kvHeads: 1, headDim: 64, vocab: 1000 },
    ...{ gatedMlp: true, tiedEmbeddings: false },
  }
  const compressed = {
    ...{ queryRank: 64, outputGroups: 4, outputRank: 32, window: 16 },
    ...{ sparse: { positions: 4, layers: 2 }, heavy: { positions: 16, layers: 1 } },
  }
  const index = { positions: 8, heads: 2, headDim: 16 }

  it('is a model', () => {
    expect(spellingFaults({ ...spelling, attention: { compressed, index } })).toEqual([])
    expect(spelledOut('', { ...spelling, attention: { compressed, index } }).attention.compressed).toEqual(
      compressed,
    )
  })

  it.each<[string, Partial<Spelling>, string]>([
    ['several heads of keys', { kvHeads: 2 }, '/kvHeads'],
    ['no index', { attention: { compressed } }, '/attention/index'],
    ['more layers than there are', { layers: 2 }, '/attention/compressed'],
    ['a window', { attention: { compressed, index, window: 4 } }, '/attention/compressed'],
    ['groups that do not divide heads', { heads: 6 }, '/attention/compressed/outputGroups'],
  ])('is none with %s', (_, change, pointer) => {
    const faults = spellingFaults({ ...spelling, attention: { compressed, index }, ...change })
    expect(faults.map((fault) => fault.pointer)).toContain(pointer)
  })
})
