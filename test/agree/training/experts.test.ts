/**
 * The comparisons of dense models, for mixtures of experts, latent attention and windows: the search against a full
 * enumeration, floors and the continuous bound below every plan.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import type { Problem } from '../../../src/problem.ts'
import { continuousBound } from '../../../src/search/bound/continuous-bound.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { meshKey } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { oddDense } from '../../small-model.ts'
import { highs } from '../../solvers.ts'
import { type Enumeration, enumeration } from './enumeration.ts'

const small: Spelling = {
  ...oddDense,
  moe: { experts: 6, activeExperts: 2, dFfExpert: 1024, sharedExperts: 1, denseLayers: 1 },
}

const latent: Spelling = {
  layers: 5,
  dModel: 1024,
  dFf: 4096,
  heads: 12,
  vocab: 32_003,
  gatedMlp: true,
  tiedEmbeddings: false,
  moe: { experts: 8, activeExperts: 3, dFfExpert: 600, every: 2, nodeLimit: 1 },
  attention: {
    kind: 'mla',
    mla: { queryRank: 384, keyValueRank: 128, nopeHeadDim: 64, ropeHeadDim: 32, valueHeadDim: 64 },
  },
}
const chosen: Spelling = {
  ...latent,
  attention: {
    ...latent.attention,
    index: { positions: 512, heads: 4, headDim: 64, firstLayers: 1, every: 2 },
  },
}
const windowed: Spelling = { ...small, attention: { window: 1000, globalEvery: 3 } }

const pooled: Spelling = {
  ...small,
  ...{ heads: 12, kvHeads: 1, headDim: 64, residualStreams: 4 },
  attention: {
    compressed: {
      ...{ queryRank: 384, outputGroups: 4, outputRank: 128, window: 128 },
      ...{ sparse: { positions: 4, layers: 2 }, heavy: { positions: 128, layers: 2 } },
    },
    index: { positions: 256, heads: 4, headDim: 64 },
  },
}

type Asked = Omit<ProblemOptions, 'model'>

function posed(model: Spelling, options: Asked): Problem {
  const made = problem({ ...options, model: 'llama-3.2-1b', top: 1000 })
  return { ...made, model: spelledOut('small', model) }
}

const workload = { batchTokens: 32_768, sequenceLength: 4096 }
const few = ['none', 'full']

const cases: Readonly<Record<string, () => Problem>> = {
  '8 chips of a torus, by the book': () =>
    posed({ ...small, layers: 2 }, { ...workload, chip: 'tpu-v5e', topology: [2, 4], assumptions: 'book' }),
  '8 chips of a torus, latent attention, calibrated': () =>
    posed(latent, { ...workload, chip: 'tpu-v5e', topology: [2, 4], rematerialization: few }),
  'two slices of four chips, tight': () =>
    posed(small, { ...workload, chip: 'tpu-v5e', topology: [2, 2], slices: 2, memoryBudget: 4e9 }),
  '12 chips, a node and a half, with windows': () =>
    posed(windowed, { ...workload, chip: 'h100-sxm', chips: 12, rematerialization: few }),
  '16 chips, tight, latent attention and experts on one node': () =>
    posed(latent, { ...workload, chip: 'h100-sxm', chips: 16, memoryBudget: 6.2e9, rematerialization: few }),
  '8 chips of a node, latent attention to chosen positions': () =>
    posed(chosen, { ...workload, chip: 'h100-sxm', chips: 8, rematerialization: few }),
  '8 chips of a node, attention to pooled positions, four streams': () =>
    posed(pooled, { ...workload, chip: 'h100-sxm', chips: 8, rematerialization: few }),
  '16 chips on a slow network': () =>
    posed(small, {
      ...workload,
      chip: 'h100-sxm',
      chips: 16,
      rematerialization: few,
      network: { scaleOutBytesPerSecondPerChip: 1e9 },
      constraints: { expert: { min: 2 } },
    }),
  '16 chips, dense layers first, one that predicts further tokens and pipelines in one piece and two': () =>
    posed(
      {
        ...small,
        layers: 8,
        multiTokenLayers: 1,
        moe: { experts: 8, activeExperts: 2, dFfExpert: 1500, sharedExperts: 1, denseLayers: 3 },
      },
      {
        ...workload,
        batchTokens: 131_072,
        chip: 'h100-sxm',
        chips: 16,
        rematerialization: few,
        schedules: ['1f1b', 'interleaved-1f1b', 'zb-h1', 'dualpipe'],
        memoryBudget: 7e9,
        constraints: { pipeline: [2, 4, 8], context: 1, tensor2: 1 },
      },
    ),
}

describe.each(Object.keys(cases))('the search of a mixture of experts on %s', (name) => {
  it('ranks every mesh as a full enumeration does, some with experts of their own, with its floors below', () => {
    const model = costModel((cases[name] as () => Problem)())
    const all = enumeration(model)
    expectAgreement(model, all, 1000)
    expectAgreement(model, all, 2)
    expect(all.ranking.some(({ mesh }) => mesh.expert > 1)).toBe(true)
    const floors = meshFloors(model)
    const scale = createScale()
    const above = all.ranking.filter(({ mesh, score }) => floors.of(mesh, scale) > score)
    expect(above.map(({ mesh }) => meshKey(mesh))).toEqual([])
  })
})

function expectAgreement(model: CostModel, all: Enumeration, top: number): void {
  const { candidates, enumerated, pruned, evaluated, infeasible } = search({
    ...model,
    problem: { ...model.problem, top },
  })
  const wanted = all.ranking.slice(0, top)
  expect(candidates.map(({ mesh }) => meshKey(mesh))).toEqual(wanted.map(({ mesh }) => meshKey(mesh)))
  candidates.forEach((candidate, at) => {
    expect(Math.abs(candidate.score / (wanted[at]?.score ?? Number.NaN) - 1)).toBeLessThan(1e-12)
  })
  const { memory, divisibility, topology, constraint } = infeasible
  expect(enumerated).toBe(all.layouts)
  expect(pruned + evaluated + memory + divisibility + topology + constraint).toBe(enumerated)
}

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const anyProblem: fc.Arbitrary<Problem> = fc
  .record({
    shape: pick(small, latent, chosen, windowed, pooled),
    multiTokenLayers: pick(0, 0, 1),
    moe: fc.record({
      experts: pick(4, 6, 8, 16),
      activeExperts: pick(1, 2, 4),
      dFfExpert: pick(256, 1000, 4096),
      sharedExperts: pick(0, 1),
      every: pick(1, 2),
      nodeLimit: pick(1, 2, 8),
    }),
    chips: pick(1, 2, 4, 6, 8, 12, 16),
    chip: pick('h100-sxm', 'h800-sxm', 'tpu-v5e', 'tpu-v5p'),
    sequences: pick(1, 3, 8, 32),
    basis: pick('book' as const, 'calibrated' as const),
    hierarchicalDispatch: fc.boolean(),
    overlapCriticalPath: pick(0, 0.5, 1),
    overlapExchange: pick(0, 0.5, 1),
    slower: pick(1, 10, 100),
    memoryFraction: pick(0.05, 0.1, 0.9),
    compute: pick('bf16' as const, 'int8' as const),
  })
  .map(({ shape, moe, multiTokenLayers, sequences, slower, basis, compute, ...options }): Problem | null => {
    const { hierarchicalDispatch, overlapCriticalPath, overlapExchange, ...rest } = options
    const precision = {
      weights: 'bf16',
      compute,
      kvCache: 'bf16',
      gradients: 'fp32',
      optimizer: 'fp32',
    } as const
    const network = {
      scaleUpBytesPerSecondPerChip: 4e11 / slower,
      ...(rest.chip.startsWith('tpu') ? {} : { scaleOutBytesPerSecondPerChip: 2e10 / slower }),
    }
    try {
      return posed(
        { ...shape, moe, multiTokenLayers },
        {
          ...rest,
          network,
          precision,
          batchTokens: sequences * 2048,
          sequenceLength: 2048,
          rematerialization: few,
          assumptions: { basis, hierarchicalDispatch, overlapCriticalPath, overlapExchange },
        },
      )
    } catch {
      return null
    }
  })
  .filter((made) => made !== null)

describe('any small mixture of experts', () => {
  law(
    'has a continuous bound that is never above its best plan, whichever solver',
    20,
    [anyProblem],
    (made) => {
      const model = costModel({ ...made, top: 1 })
      const [found] = search(model).candidates
      const best = found ? costing(model, found).stepTime : Number.POSITIVE_INFINITY
      for (const solver of [javascriptLpSolver, highs]) {
        const bound = continuousBound(model, solver)?.lowerBoundSeconds ?? Number.POSITIVE_INFINITY
        expect(bound).toBeLessThanOrEqual(best)
      }
    },
  )
})

const real: readonly (readonly [string, Asked & { readonly model: string }])[] = [
  ['Mixtral 8x7B on 64 H100', { model: 'mixtral-8x7b', chip: 'h100-sxm', chips: 64, ...tokens(256) }],
  ['Qwen3 30B-A3B on 128 TPU v5p', { model: 'qwen3-30b-a3b', chip: 'tpu-v5p', chips: 128, ...tokens(512) }],
  ['DeepSeek-V2-Lite on 64 H800', { model: 'deepseek-v2-lite', chip: 'h800-sxm', chips: 64, ...tokens(512) }],
]

function tokens(sequences: number) {
  return { batchTokens: sequences * 4096, sequenceLength: 4096 }
}

describe('the continuous bound of real mixtures of experts', () => {
  it.each(real)('%s: below the best plan, and within a factor of two', (_name, options) => {
    const model = costModel(problem({ ...options, top: 1 }))
    const [found] = search(model).candidates
    const best = found ? costing(model, found).stepTime : Number.NaN
    const bound = continuousBound(model, javascriptLpSolver)?.lowerBoundSeconds ?? Number.NaN
    expect(bound).toBeLessThanOrEqual(best)
    expect(best / bound).toBeLessThan(2)
  })
})
