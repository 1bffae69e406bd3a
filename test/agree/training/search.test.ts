import { describe, expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import type { TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import type { Problem } from '../../../src/problem.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { enumerateMeshes, orderedProducts } from '../../../src/search/meshes/meshes.ts'
import { meshKey } from '../../../src/sharding/axis.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { oddDense } from '../../small-model.ts'
import { type Enumeration, enumeration, everyMesh } from './enumeration.ts'

/** Five layers, twelve heads: pipelines of 2, 3 and 4 stages are uneven. */
const small: Architecture = oddDense

const few = ['none', 'selective', 'full']

const workload = { model: small, batchTokens: 65_536, sequenceLength: 4096, top: 1000 }

/** A network that no slice of the catalogue has. */
function onTorus(options: Omit<ProblemOptions, 'chip'>, network: Partial<TorusNetwork>): Problem {
  const made = problem({ ...options, chip: 'tpu-v5e', topology: [2, 2] })
  const { topology = [4] } = network
  const chips = topology.reduce((product, size) => product * size, 1)
  const base = made.cluster.network as TorusNetwork
  return { ...made, cluster: { ...made.cluster, chips, network: { ...base, ...network } } }
}

const cases: Readonly<Record<string, () => Problem>> = {
  '8 chips of a torus, by the book': () =>
    problem({
      ...workload,
      model: { ...small, layers: 3 },
      chip: 'tpu-v5e',
      topology: [2, 4],
      assumptions: 'book',
    }),
  '8 chips of a torus, calibrated': () =>
    problem({ ...workload, chip: 'tpu-v5e', topology: [2, 4], rematerialization: few }),
  '8 chips of a torus, logits in pieces that are computed twice, tight': () =>
    problem({
      ...workload,
      chip: 'tpu-v5e',
      topology: [2, 4],
      rematerialization: few,
      memoryBudget: 1.6e9,
      assumptions: { basis: 'calibrated', lossChunks: 4 },
    }),
  '8 chips of a torus of three axes, tight': () =>
    problem({ ...workload, chip: 'tpu-v5p', topology: [2, 2, 2], memoryBudget: 1.6e9 }),
  'three slices of four chips, by the book and tight': () =>
    problem({
      ...workload,
      model: { ...small, layers: 4 },
      chip: 'tpu-v5e',
      topology: [2, 2],
      slices: 3,
      assumptions: 'book',
      memoryBudget: 4e8,
    }),
  'two slices of four chips, calibrated': () =>
    problem({ ...workload, chip: 'tpu-v5e', topology: [2, 2], slices: 2, memoryBudget: 3e9 }),
  '64 chips of a torus, some axes held': () =>
    problem({
      ...workload,
      chip: 'tpu-v5p',
      topology: [4, 4, 4],
      constraints: { microbatches: 1, tensor2: 1, pipeline: { max: 2 }, zeroStage: [0, 3] },
      rematerialization: ['none', 'full'],
    }),
  'twelve chips on a torus of 2 x 6': () =>
    onTorus({ ...workload, rematerialization: few }, { topology: [2, 6], wraps: [false, true] }),
  'twelve chips in one ring': () =>
    onTorus({ ...workload, rematerialization: few }, { topology: [12], wraps: [true] }),
  'sixteen chips in one line, by the book': () =>
    onTorus(
      {
        ...workload,
        model: { ...small, layers: 2, heads: 16 },
        assumptions: 'book',
        constraints: { pipeline: 1, tensor2: 1 },
      },
      { topology: [16], wraps: [false] },
    ),
  '6 chips of a node': () =>
    problem({
      ...workload,
      chip: 'h100-sxm',
      chips: 6,
      schedules: ['gpipe'],
      constraints: { tensor2: { max: 6 } },
    }),
  '12 chips, a node and a half': () =>
    problem({ ...workload, chip: 'h100-sxm', chips: 12, rematerialization: few }),
  '16 chips, tight': () => problem({ ...workload, chip: 'h100-sxm', chips: 16, memoryBudget: 4.2e8 }),
  '16 chips, by the book and tight': () =>
    problem({
      ...workload,
      model: { ...small, layers: 3 },
      chip: 'h100-sxm',
      chips: 16,
      assumptions: 'book',
      memoryBudget: 2.5e8,
    }),
  '16 chips whose switches reduce, on a slow network': () =>
    problem({
      ...workload,
      chip: 'h100-sxm',
      chips: 16,
      rematerialization: few,
      network: { scaleOutBytesPerSecondPerChip: 1e9 },
      assumptions: { basis: 'calibrated', inNetworkReduction: true, overlapPrefetched: 1 },
    }),
  '24 chips, some policies and tight': () =>
    problem({
      ...workload,
      chip: 'h100-sxm',
      chips: 24,
      memoryBudget: 7.5e8,
      rematerialization: ['save_dot_except_mlp', 'save_mlp_proj', 'full'],
      constraints: { tensor2: 1 },
    }),
  '36 chips, a batch that nothing divides': () =>
    problem({
      ...workload,
      batchTokens: 7 * 4096,
      model: { ...small, layers: 7, tiedEmbeddings: true, parallelBlocks: true },
      chip: 'a100-80g-sxm',
      chips: 36,
      rematerialization: few,
    }),
  '16 chips, uneven stages and a vocabulary that outweighs the layers': () =>
    problem({
      ...workload,
      batchTokens: 5 * 4096,
      model: {
        layers: 6,
        dModel: 256,
        dFf: 8192,
        heads: 8,
        kvHeads: 4,
        headDim: 64,
        vocab: 128_256,
        gatedMlp: false,
        tiedEmbeddings: true,
      },
      chip: 'h100-sxm',
      chips: 16,
      assumptions: { basis: 'book', tokensDivideFreely: false, shardedPipelines: true },
      constraints: { tensor2: 1, pipeline: { max: 2 } },
      memoryBudget: 5.9e8,
    }),
  '16 chips, backward passes in two pieces': () =>
    problem({
      ...workload,
      batchTokens: 32 * 4096,
      model: { ...small, layers: 6 },
      chip: 'h100-sxm',
      chips: 16,
      schedules: ['1f1b', 'zb-h1', 'dualpipe'],
      rematerialization: few,
      constraints: { tensor: { max: 2 }, tensor2: 1, pipeline: [2, 4, 8] },
      memoryBudget: 1.2e10,
    }),
  '8 chips of a torus, backward passes in two pieces by the book and tight': () =>
    problem({
      ...workload,
      chip: 'tpu-v5e',
      topology: [2, 4],
      assumptions: 'book',
      schedules: ['zb-h1', 'dualpipe'],
      constraints: { pipeline: { min: 2 } },
      memoryBudget: 4e8,
    }),
  '16 chips, experts that DualPipe hides the way to': () =>
    problem({
      ...workload,
      batchTokens: 32 * 4096,
      model: {
        ...small,
        layers: 8,
        experts: {
          experts: 8,
          activeExperts: 2,
          sharedExperts: 1,
          dFfExpert: 1024,
          denseLayers: 1,
          every: 1,
        },
      },
      chip: 'h100-sxm',
      chips: 16,
      schedules: ['interleaved-1f1b', 'dualpipe'],
      rematerialization: few,
      constraints: { tensor: 1, tensor2: 1, context: 1 },
      network: { scaleOutBytesPerSecondPerChip: 5e9 },
    }),
  'a budget that nothing fits': () => problem({ ...workload, chip: 'h100-sxm', chips: 8, memoryBudget: 1e9 }),
}

const known = new Map<string, { readonly model: CostModel; readonly all: Enumeration }>()

function posed(name: string) {
  const found = known.get(name)
  if (found) return found
  const model = costModel((cases[name] as () => Problem)())
  const made = { model, all: enumeration(model) }
  known.set(name, made)
  return made
}

describe.each(Object.keys(cases))('the search of %s', (name) => {
  it('ranks every mesh as a full enumeration does, with the same score', () => {
    const { model, all } = posed(name)
    expectSameRanking(model, all, 1000)
  })

  it('finds the same first ones when it may stop early', () => {
    const { model, all } = posed(name)
    for (const top of [1, 7]) expectSameRanking(model, all, top)
  })

  it('has a floor under every plan of every mesh', () => {
    const { model, all } = posed(name)
    expect(abovePlans(model, all)).toEqual([])
  })

  it.runIf(name.includes('tight'))(
    'has plans that recompute some layers only, and some that do not fit',
    () => {
      const { model, all } = posed(name)
      const { candidates } = search(model)
      expect(candidates.filter(({ mix }) => mix.count > 0)).not.toEqual([])
      expect(all.infeasible.memory).toBeGreaterThan(0)
    },
  )

  it('accounts for every layout, however early it stops', () => {
    const { model, all } = posed(name)
    for (const top of [1, 1000]) expectSameAccount(model, all, top)
  })
})

describe('the meshes', () => {
  it.each([1, 2, 7, 8, 12, 36, 60, 64, 97])('of %i chips are counted without being listed', (chips) => {
    expect(orderedProducts(chips, 7)).toBe([...everyMesh(chips)].length)
  })

  it('that are allowed are listed once each', () => {
    const { allowed, total, constrained, indivisible } = enumerateMeshes(
      problem({ ...workload, chip: 'h100-sxm', chips: 24, constraints: { tensor: [1, 2, 4], pipeline: 1 } }),
    )
    expect(new Set(allowed.map(meshKey)).size).toBe(allowed.length)
    expect(allowed.length + constrained + indivisible).toBe(total)
    expect(allowed.every((mesh) => mesh.tensor <= 4 && mesh.pipeline === 1)).toBe(true)
  })
})

function expectSameRanking(model: CostModel, all: Enumeration, top: number): void {
  const { candidates } = search({ ...model, problem: { ...model.problem, top } })
  const wanted = all.ranking.slice(0, top)
  expect(candidates.map(({ mesh }) => meshKey(mesh))).toEqual(wanted.map(({ mesh }) => meshKey(mesh)))
  candidates.forEach((candidate, at) => {
    const score = wanted[at]?.score ?? Number.NaN
    expect(Math.abs(candidate.score / score - 1)).toBeLessThan(1e-12)
  })
}

function expectSameAccount(model: CostModel, all: Enumeration, top: number): void {
  const { enumerated, pruned, evaluated, infeasible } = search({
    ...model,
    problem: { ...model.problem, top },
  })
  const { memory, divisibility, topology, constraint } = infeasible
  expect(enumerated).toBe(all.layouts)
  expect(pruned + evaluated + memory + divisibility + topology + constraint).toBe(enumerated)
  // A layout that is dropped on its time is not asked whether it fits.
  expect(memory).toBeLessThanOrEqual(all.infeasible.memory)
  if (all.ranking.length === 0) expect(infeasible).toEqual(all.infeasible)
  if (top < all.legal.length) return
  expect({ divisibility, topology, constraint }).toEqual({
    divisibility: all.infeasible.divisibility,
    topology: all.infeasible.topology,
    constraint: all.infeasible.constraint,
  })
}

/** Meshes whose floor is over their best plan: there must be none. */
function abovePlans(model: CostModel, { ranking }: Enumeration): readonly string[] {
  const floors = meshFloors(model)
  const scale = createScale()
  return ranking.filter(({ mesh, score }) => floors.of(mesh, scale) > score).map(({ mesh }) => meshKey(mesh))
}
