/**
 * Compares the continuous bound with what it bounds: the search, mesh by mesh and over all of them; the book's optimum;
 * its own programme at whole sizes; and the programme solved again with more and with less of everything.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { type Group, groupSize, union } from '../../../src/hardware/network/group.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import type { Problem } from '../../../src/problem.ts'
import type { ScheduleName } from '../../../src/recipe/schedules.ts'
import { caseRounds } from '../../../src/search/bound/continuous/case-bound.ts'
import { type Cut, networkCuts } from '../../../src/search/bound/continuous/network-cuts.ts'
import { resources } from '../../../src/search/bound/continuous/part.ts'
import { powerRounds } from '../../../src/search/bound/continuous/power-program.ts'
import { unavoidable } from '../../../src/search/bound/continuous/unavoidable.ts'
import { casesOf, continuousBound } from '../../../src/search/bound/continuous-bound.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { axes, axesOf, type Mesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { highs, solvers } from '../../solvers.ts'

/** Infinite where nothing fits. */
function bestTime(model: CostModel): number {
  const [best] = search(model).candidates
  return best ? costing(model, best).stepTime : Number.POSITIVE_INFINITY
}

function boundOf(model: CostModel, solver: Solver): number {
  return continuousBound(model, solver)?.lowerBoundSeconds ?? Number.POSITIVE_INFINITY
}

const llama8b: ProblemOptions = {
  model: 'llama-3-8b',
  chip: 'h100-sxm',
  chips: 64,
  batchTokens: 2 ** 22,
  sequenceLength: 8192,
}
const llama70b: ProblemOptions = {
  model: 'llama-3-70b',
  chip: 'tpu-v5p',
  topology: [16, 20, 28],
  batchTokens: 2 ** 22,
  sequenceLength: 4096,
}

const requests: readonly (readonly [string, ProblemOptions])[] = [
  ['Llama 3 8B on 64 H100', llama8b],
  ['Llama 3 8B on 64 H100 by the book', { ...llama8b, assumptions: 'book' }],
  ['Llama 3 70B on 1024 TPU v5p', { ...llama70b, topology: [8, 8, 16] }],
  ['Llama 3 70B on a pod of TPU v5p by the book', { ...llama70b, assumptions: 'book' }],
  ['Llama 3 70B on 512 H100', { ...llama8b, model: 'llama-3-70b', chips: 512 }],
  ['Llama 3.1 405B on 2048 H100', { ...llama8b, model: 'llama-3.1-405b', chips: 2048 }],
  ['GPT-3 175B on 64 A100', { ...llama8b, model: 'gpt-3-175b', chip: 'a100-80g-sxm', sequenceLength: 2048 }],
  ['Llama 3 8B on 256 TPU v5e', { ...llama8b, chip: 'tpu-v5e', chips: 256, batchTokens: 2 ** 19 }],
  [
    'Gemma 2 27B on four slices of TPU v6e',
    { ...llama8b, model: 'gemma-2-27b', chip: 'tpu-v6e', chips: 256, slices: 4 },
  ],
  ['Llama 3 8B on 48 of GB200, no power of two', { ...llama8b, chip: 'gb200-nvl72', chips: 48 }],
]

describe('the bound of real requests', () => {
  for (const [name, options] of requests) {
    it(`${name}: below the best plan, and not far`, () => {
      const model = costModel(problem({ ...options, top: 1 }))
      const best = bestTime(model)
      for (const [, solver] of solvers) {
        const bound = boundOf(model, solver)
        expect(bound).toBeLessThanOrEqual(best)
        expect(best / bound).toBeLessThan(1.6)
      }
    })
  }

  it('is within a quarter of both Llama 3 examples, where it does not matter in which node a group lies', () => {
    for (const options of [llama70b, llama8b]) {
      const asked = problem({ ...options, top: 1 })
      const { overlapCriticalPath: overlapExchange } = asked.assumptions
      const model = costModel({ ...asked, assumptions: { ...asked.assumptions, overlapExchange } })
      expect(bestTime(model) / boundOf(model, javascriptLpSolver)).toBeLessThan(1.25)
    }
  })

  it('is null where no mesh may be run', () => {
    const model = costModel(problem({ ...llama8b, constraints: { tensor: 7 } }))
    expect(continuousBound(model, javascriptLpSolver)).toBeNull()
  })

  it('says where it lies: sizes that make all chips', () => {
    for (const [, options] of requests) {
      const model = costModel(problem(options))
      const bound = continuousBound(model, javascriptLpSolver)
      const chips = axes.reduce((product, axis) => product * (bound?.at[axis] ?? 0), 1)
      expect(chips / model.problem.cluster.chips).toBeCloseTo(1, 6)
    }
  })
})

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)
const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 })

/** Small clusters of any chip, fast and slow networks, and any reading of the assumptions. */
const anyProblem: fc.Arbitrary<Problem> = fc
  .record({
    model: pick('gpt-2-xl', 'llama-3.2-1b', 'llama-3-8b', 'gemma-2b', 'falcon-7b', 'palm-8b', 'gpt-3-13b'),
    chip: pick('h100-sxm', 'a100-40g-sxm', 'gb200-nvl72', 'mi300x', 'tpu-v5e', 'tpu-v5p', 'tpu-v4'),
    chips: pick(1, 2, 4, 6, 8, 12, 16, 24, 32, 64),
    slices: pick(1, 1, 2),
    sequenceLength: pick(512, 1024, 2048),
    sequences: pick(1, 3, 8, 30, 64, 512),
    basis: pick('book' as const, 'calibrated' as const),
    slower: fc.integer({ min: 0, max: 30 }),
    overlapPrefetched: sometimes(pick(0, 0.5, 1)),
    overlapCriticalPath: sometimes(pick(0, 0.5, 1)),
    overlapExchange: sometimes(pick(0, 0.5, 1)),
    inNetworkReduction: fc.boolean(),
    gradients: pick('bf16' as const, 'fp32' as const),
    memoryFraction: pick(0.3, 0.6, 1),
    searchTensor2: fc.boolean(),
    shardedPipelines: fc.boolean(),
    schedules: sometimes(
      pick<readonly ScheduleName[]>(['1f1b'], ['zb-h1'], ['zb-h1', 'interleaved-1f1b'], ['1f1b', 'dualpipe']),
    ),
  })
  .map((any): Problem | null => {
    const tpu = any.chip.startsWith('tpu')
    const factor = 10 ** (-any.slower / 10)
    const { basis, inNetworkReduction, searchTensor2, shardedPipelines } = any
    const assumptions = {
      basis,
      inNetworkReduction,
      searchTensor2,
      shardedPipelines,
      ...(any.overlapPrefetched === undefined ? {} : { overlapPrefetched: any.overlapPrefetched }),
      ...(any.overlapCriticalPath === undefined ? {} : { overlapCriticalPath: any.overlapCriticalPath }),
      ...(any.overlapExchange === undefined ? {} : { overlapExchange: any.overlapExchange }),
    }
    const options: ProblemOptions = {
      ...any,
      assumptions,
      batchTokens: any.sequences * any.sequenceLength,
      chips: tpu ? any.chips * any.slices : any.chips,
      network: {
        scaleUpBytesPerSecondPerChip: 4e11 * factor,
        ...(tpu && any.slices === 1 ? {} : { scaleOutBytesPerSecondPerChip: 2e10 * factor }),
      },
      precision: {
        weights: 'bf16',
        compute: 'bf16',
        kvCache: 'bf16',
        gradients: any.gradients,
        optimizer: 'fp32',
      },
      ...(any.schedules ? { schedules: any.schedules } : {}),
      top: 1,
    }
    const { slices, ...rest } = options
    try {
      return problem(tpu && any.slices > 1 ? { ...rest, slices: any.slices } : rest)
    } catch {
      return null
    }
  })
  .filter((made) => made !== null)

/** Of all meshes of a problem one, by a number. */
function meshAt({ allowed }: { readonly allowed: readonly Mesh[] }, index: number): Mesh | undefined {
  return allowed[index % allowed.length]
}

describe('the bound of any request', () => {
  law('is never above the best plan, whichever solver', 60, [anyProblem], (any) => {
    const model = costModel(any)
    const best = bestTime(model)
    const bounds = solvers.map(([, solver]) => boundOf(model, solver))
    for (const bound of bounds) expect(bound).toBeLessThanOrEqual(best)
    const [one = 0, other = 0] = bounds
    if (Number.isFinite(one)) expect(Math.abs(one / other - 1)).toBeLessThan(1e-4)
  })

  law('is never above the best plan of any one mesh', 100, [anyProblem, fc.nat()], (any, index) => {
    const mesh = meshAt(enumerateMeshes(any), index)
    if (!mesh) return
    const model = costModel({ ...any, constraints: mesh })
    expect(boundOf(model, javascriptLpSolver)).toBeLessThanOrEqual(bestTime(model))
  })

  law('is never above its own programme at any mesh of whole sizes', 15, [anyProblem], (any) => {
    const model = costModel(any)
    const bound = boundOf(model, javascriptLpSolver)
    for (const own of casesOf(model)) {
      for (const mesh of enumerateMeshes(any).allowed.slice(0, 40)) {
        if (!axes.every((axis) => within(mesh[axis], own.sizes[axis]))) continue
        const sizes = Object.fromEntries(
          axes.map((axis) => [axis, { least: mesh[axis], most: mesh[axis] }]),
        ) as typeof own.sizes
        const pinned = lastOf(
          caseRounds(model, { ...own, sizes }, unavoidable(model, own.stage), javascriptLpSolver),
        )
        if (pinned.status === 'optimal') expect(bound).toBeLessThanOrEqual(pinned.seconds * (1 + 1e-6))
      }
    }
  })
})

function lastOf<Last>(rounds: Generator<unknown, Last>): Last {
  for (;;) {
    const { done, value } = rounds.next()
    if (done) return value
  }
}

function within(size: number, { least, most }: { readonly least: number; readonly most: number }): boolean {
  return size >= least && size <= most
}

describe('network cuts', () => {
  law(
    'no group gathers faster than a cut lets it, wherever it lies',
    150,
    [anyProblem, fc.nat(), fc.integer({ min: 1, max: 127 })],
    (any, index, set) => {
      const { cluster, assumptions } = any
      const mesh = meshAt(enumerateMeshes(any), index)
      if (!mesh) return
      for (const { groups } of placements(cluster.network, mesh)) {
        const group = union(
          axesOf(set).map((axis) => groups[axis]),
          cluster.network.kind,
        )
        const chips = groupSize(group)
        const { perByte } = groupCost(cluster.network, group, assumptions)
        for (const cut of networkCuts(cluster, assumptions)) {
          const least = (1 / insideOneUnit(group, cut) - 1 / chips) / cut.rate
          expect(perByte).toBeGreaterThanOrEqual(least * (1 - 1e-12))
        }
      }
    },
  )
})

/** Counted, not computed: the ranks of the group that starts at rank 0, by the unit that they fall into. */
function insideOneUnit(group: Group, cut: Cut): number {
  if (group.kind === 'torus') return cut.unit === 1 ? 1 : groupSize(group) / group.slices
  const ranks = group.spans.reduce<readonly number[]>(
    (before, { size, stride }) =>
      before.flatMap((rank) => Array.from({ length: size }, (_, member) => rank + member * stride)),
    [0],
  )
  const counts = new Map<number, number>()
  for (const rank of ranks) {
    const unit = Math.floor(rank / cut.unit)
    counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

describe('the book', () => {
  it('FSDP and tensor parallelism alone meet at X = sqrt(B/F · M_X/M_Y · N)', () => {
    const bandwidth = 1.8e11
    const cases = [
      { D: 8192, F: 28672, B: 2 ** 21, N: 8960, M_X: 2, M_Y: 1 },
      { D: 4096, F: 16384, B: 48000, N: 64, M_X: 1, M_Y: 1 },
      { D: 8192, F: 32768, B: 2 ** 20, N: 512, M_X: 1, M_Y: 2 },
    ]
    for (const { D, F, B, N, M_X, M_Y } of cases) {
      const fsdp = ((4 * D * F) / (bandwidth * M_X)) * 1e3
      const tensor = ((4 * B * D) / (bandwidth * M_Y)) * 1e3
      for (const [, solver] of solvers) {
        const rounds = powerRounds(
          {
            variables: [
              { name: 'X', cost: 0 },
              { name: 'Y', cost: 0 },
              { name: 'time', cost: 1 },
              { name: 'gathers weights', cost: 0 },
              { name: 'gathers activations', cost: 0 },
            ],
            rows: [
              { name: 'chips', terms: { X: 1, Y: 1 }, lower: Math.log2(N), upper: Math.log2(N) },
              { name: 'fsdp', terms: { time: 1, 'gathers weights': -1 }, lower: 0 },
              { name: 'tensor', terms: { time: 1, 'gathers activations': -1 }, lower: 0 },
            ],
            powers: [
              { name: 'gathers weights', exponent: { Y: -1 }, offset: Math.log2(fsdp) },
              { name: 'gathers activations', exponent: { X: -1 }, offset: Math.log2(tensor) },
            ],
          },
          solver,
        )
        const answer = lastOf(rounds)
        if (answer.status !== 'optimal') throw new Error(answer.status)
        const optimum = Math.sqrt((B / F) * (M_X / M_Y) * N)
        expect(2 ** (answer.point.values.X ?? 0) / optimum).toBeCloseTo(1, 4)
        expect(answer.bound / (tensor / optimum)).toBeCloseTo(1, 4)
      }
    }
  })
})

describe('elasticities', () => {
  const starved: readonly (readonly [string, ProblemOptions])[] = [
    ...requests.slice(0, 3),
    [
      'a slow torus',
      { ...llama8b, chip: 'tpu-v5e', chips: 256, network: { scaleUpBytesPerSecondPerChip: 2e10 } },
    ],
    [
      'slow nodes',
      {
        ...llama8b,
        model: 'llama-3-70b',
        network: { scaleUpBytesPerSecondPerChip: 5e10, scaleOutBytesPerSecondPerChip: 2e9 },
      },
    ],
    [
      'a torus that all else waits for',
      { ...llama8b, chip: 'tpu-v5e', chips: 256, network: { scaleUpBytesPerSecondPerChip: 2e9 } },
    ],
    [
      'no room',
      {
        ...llama8b,
        model: 'llama-3-70b',
        memoryFraction: 0.55,
        assumptions: { basis: 'calibrated', zeroStages: [0, 1], overlapCriticalPath: 0 },
      },
    ],
  ]

  for (const [name, options] of starved) {
    it(`${name}: the multipliers say what solving again says`, () => {
      const base = problem(options)
      const bound = continuousBound(costModel(base), highs)
      for (const resource of resources) {
        const up = boundOf(costModel(withMore(base, resource, 1.01)), highs)
        const down = boundOf(costModel(withMore(base, resource, 0.99)), highs)
        const again = Math.log(up / down) / Math.log(1.01 / 0.99)
        expect(Math.abs((bound?.elasticities[resource] ?? 1) - again)).toBeLessThan(0.005)
      }
    })
  }
})

function withMore(base: Problem, resource: (typeof resources)[number], factor: number): Problem {
  const { cluster } = base
  const { chip, network } = cluster
  switch (resource) {
    case 'flops': {
      const peaks = Object.entries(chip.peakFlopsPerSecond).map(([type, peak]) => [type, peak * factor])
      return {
        ...base,
        cluster: { ...cluster, chip: { ...chip, peakFlopsPerSecond: Object.fromEntries(peaks) } },
      }
    }
    case 'hbmBandwidth': {
      const hbmBytesPerSecond = chip.hbmBytesPerSecond * factor
      return { ...base, cluster: { ...cluster, chip: { ...chip, hbmBytesPerSecond } } }
    }
    case 'memory':
      return { ...base, memoryBudget: base.memoryBudget * factor }
    default: {
      const [inside, between] = resource === 'iciBandwidth' ? [factor, 1] : [1, factor]
      const scaled =
        network.kind === 'torus'
          ? {
              ...network,
              linkBytesPerSecond: network.linkBytesPerSecond * inside,
              dcnBytesPerSecondPerChip: network.dcnBytesPerSecondPerChip * between,
            }
          : {
              ...network,
              tiers: network.tiers.map((tier, level) => ({
                ...tier,
                bytesPerSecondPerChip: tier.bytesPerSecondPerChip * (level === 0 ? inside : between),
              })),
            }
      return { ...base, cluster: { ...cluster, network: scaled } }
    }
  }
}
