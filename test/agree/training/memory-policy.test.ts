/**
 * The memory policy, chosen three ways: by the closed form that the search uses, by the programme with either solver,
 * and by trying every count of every pair. On layouts of real models, and on random numbers that share only one
 * property with real ones: a policy that keeps less recomputes no less.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { createTraffic } from '../../../src/cost/communication/traffic.ts'
import { blend } from '../../../src/cost/compile/composed.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import { fittingMixes, offloads } from '../../../src/cost/memory/remat.ts'
import { type Mix, shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import type { ComputeNumbers, TrafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch } from '../../../src/cost/step/stage-time.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { remembered } from '../../../src/known.ts'
import type { Composition } from '../../../src/model/composition.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import { policyRows as everyPolicy } from '../../../src/recipe/policy.ts'
import type { Schedule } from '../../../src/recipe/schedule.ts'
import { canRun, scheduleRow } from '../../../src/recipe/schedule.ts'
import {
  type MemoryPolicy,
  type MemoryPolicyAnswer,
  relaxMemoryPolicy,
  solveMemoryPolicy,
} from '../../../src/search/memory-policy/memory-policy.ts'
import { search } from '../../../src/search/search.ts'
import type { LayoutNumbers } from '../../../src/search/stages/stage-windows.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { highs } from '../../solvers.ts'

const budgetOf = ({ model }: LayoutNumbers) => model.problem.memoryBudget

function timeOf(numbers: LayoutNumbers, mix: Mix): number {
  const scratch = createStepScratch(numbers.model.resources)
  return stepTime({ ...numbers, scratch }, mix, 'expected')
}

/** Infinite where nothing fits. */
function closedForm(numbers: LayoutNumbers): number {
  const { model, memory, layers } = numbers
  const { tokensDivideFreely } = model.problem.assumptions
  const mixes = fittingMixes(memory, layers.groups, budgetOf(numbers), tokensDivideFreely)
  return Math.min(...mixes.map((mix) => timeOf(numbers, mix)))
}

/** Keeps more of the average layer, or of a layer of either kind. */
function fuller({ kept, keptByKind = [] }: MemoryNumbers, policy: number, other: number): boolean {
  return [kept, ...keptByKind].some((own) => (own[other] ?? 0) > (own[policy] ?? 0))
}

function bruteForce(numbers: LayoutNumbers): number {
  const { memory, layers } = numbers
  const most = Math.max(...layers.groups.map((group) => group.layers))
  const policies = memory.kept.map((_, policy) => policy)
  let least = Number.POSITIVE_INFINITY
  const look = (mix: Mix) => {
    if (shortBytes(memory, layers.groups, mix, budgetOf(numbers)) > 0) return
    least = Math.min(least, timeOf(numbers, mix))
  }
  for (const policy of policies) {
    look({ policy, other: policy, count: 0 })
    for (const other of policies) {
      if (other === policy || fuller(memory, policy, other)) continue
      // Policies that keep arrays on the host go alone.
      if (offloads(memory, policy) || offloads(memory, other)) continue
      for (let count = 1; count <= most; count++) look({ policy, other, count })
    }
  }
  return least
}

function timeOfAnswer(answer: MemoryPolicyAnswer<MemoryPolicy>): number {
  if (answer.status === 'unsolved') return Number.NaN
  return answer.status === 'optimal' ? answer.stepTimeSeconds : Number.POSITIVE_INFINITY
}

function expectAlike(actual: number, expected: number): void {
  if (Number.isFinite(expected)) expect(Math.abs(actual / expected - 1)).toBeLessThan(1e-6)
  else expect(actual).toBe(expected)
}

/** The layout with a budget between what its leanest and its fattest policy take. */
function withBudget(numbers: LayoutNumbers, share: number): LayoutNumbers {
  const { model, memory, layers } = numbers
  const fills = memory.kept.map((_, policy) =>
    shortBytes(memory, layers.groups, { policy, other: policy, count: 0 }, 0),
  )
  const least = Math.min(...fills)
  // What a leaner policy keeps less of may be live instead, to the byte: solvers differ about such ties.
  const memoryBudget = least + share * (Math.max(...fills) - least) + 1024
  return { ...numbers, model: { ...model, problem: { ...model.problem, memoryBudget } } }
}

function layoutsOf(options: ProblemOptions): readonly LayoutNumbers[] {
  const model = costModel(problem({ memoryFraction: 1, top: 1, ...options }))
  return search(model).candidates.map((candidate) => costing(model, candidate))
}

/** What the programme counts: policies that keep arrays on the host go alone. */
const onTheChip = everyPolicy.filter(({ host }) => !host).map(({ name }) => name)

const workloads: readonly (readonly [string, ProblemOptions])[] = [
  [
    'Llama 3 8B on 16 H100',
    { model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 2 ** 18, sequenceLength: 8192 },
  ],
  [
    'GPT-2 XL on 8 A100 40G',
    { model: 'gpt-2-xl', chip: 'a100-40g-sxm', chips: 8, batchTokens: 2 ** 19, sequenceLength: 2048 },
  ],
  [
    'GPT-3 13B on 32 TPU v5e',
    {
      model: 'gpt-3-13b',
      chip: 'tpu-v5e',
      chips: 32,
      batchTokens: 2 ** 19,
      sequenceLength: 2048,
      schedules: ['1f1b', 'interleaved-1f1b'],
      rematerialization: onTheChip,
    },
  ],
  [
    'Gemma 2 27B on 32 TPU v5p',
    {
      model: 'gemma-2-27b',
      chip: 'tpu-v5p',
      chips: 32,
      batchTokens: 2 ** 20,
      sequenceLength: 8192,
      rematerialization: onTheChip,
    },
  ],
]

const mixtures: readonly (readonly [string, ProblemOptions])[] = [
  [
    'DeepSeek-V2-Lite on 32 H100',
    { model: 'deepseek-v2-lite', chip: 'h100-sxm', chips: 32, batchTokens: 2 ** 18, sequenceLength: 4096 },
  ],
  [
    'six layers, of which every second has experts, and two that predict further tokens, on 16 A100 40G',
    {
      model: {
        ...{ layers: 6, dModel: 2048, dFf: 8192, heads: 16, kvHeads: 8, headDim: 128, vocab: 32_000 },
        ...{ gatedMlp: true, tiedEmbeddings: false, multiTokenLayers: 2 },
        experts: {
          ...{ experts: 8, activeExperts: 2, sharedExperts: 1, dFfExpert: 1024 },
          ...{ denseLayers: 0, every: 2 },
        },
      },
      ...{ chip: 'a100-40g-sxm', chips: 16, batchTokens: 2 ** 18, sequenceLength: 4096 },
    },
  ],
]

const sharded = [{}, { tensor: 2 }, { tensor: 2, tensor2: 2 }, { context: 2 }]

/** What closed form and both programmes say is the best there is. */
function expectAgreed(numbers: Parameters<typeof closedForm>[0], best: number): void {
  expectAlike(closedForm(numbers), best)
  expectSolved(numbers, best)
}

function expectSolved(numbers: Parameters<typeof solveMemoryPolicy>[0], best: number): void {
  for (const solver of [javascriptLpSolver, highs]) {
    expectAlike(timeOfAnswer(solveMemoryPolicy(numbers, solver)), best)
  }
}

describe('layouts of models whose layers differ', () => {
  for (const [name, options] of mixtures) {
    for (const pipeline of [2, 4]) {
      it(`${name}, ${pipeline} stages: closed form, programme and brute force agree`, () => {
        const layouts = [{}, { tensor: 2 }].flatMap((sizes) =>
          layoutsOf({ ...options, rematerialization: onTheChip, constraints: { pipeline, ...sizes } }),
        )
        expect(layouts.length).toBeGreaterThan(1)
        layouts.forEach((layout, index) => {
          expect(new Set(layout.layers.groups.map(({ composition }) => composition)).size).toBeGreaterThan(1)
          const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
          const best = bruteForce(numbers)
          expect(best).toBeLessThan(Number.POSITIVE_INFINITY)
          expectAgreed(numbers, best)
        })
      })
    }
  }
})

describe('layouts of real models', () => {
  for (const [name, options] of workloads) {
    for (const pipeline of [1, 2, 4]) {
      it(`${name}, ${pipeline} stages: closed form, programme and brute force agree`, () => {
        const layouts = sharded.flatMap((sizes) =>
          layoutsOf({ ...options, constraints: { pipeline, ...sizes } }),
        )
        expect(layouts.length).toBeGreaterThan(1)
        layouts.forEach((layout, index) => {
          const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
          const best = bruteForce(numbers)
          expect(best).toBeLessThan(Number.POSITIVE_INFINITY)
          expectAgreed(numbers, best)
        })
      })

      it(`${name}, ${pipeline} stages, by the book: the programme agrees, with layers that divide`, () => {
        for (const numbers of layoutsOf({ ...options, assumptions: 'book', constraints: { pipeline } })) {
          for (const share of [0.1, 0.5, 0.85]) {
            const tight = withBudget(numbers, share)
            const best = closedForm(tight)
            expect(best).toBeLessThanOrEqual(bruteForce(tight) * (1 + 1e-12))
            expectSolved(tight, best)
          }
        }
      })
    }
  }

  it('with policies that keep arrays on the host, closed form and brute force agree, and such policies go alone', () => {
    let offloading = 0
    for (const [, { rematerialization, ...options }] of workloads) {
      const every = everyPolicy.map(({ name }) => name)
      for (const layout of layoutsOf({
        ...options,
        rematerialization: every,
        constraints: { pipeline: [1, 2] },
      })) {
        for (const share of [0.01, 0.2, 0.5]) {
          const numbers = withBudget(layout, share)
          expectAlike(closedForm(numbers), bruteForce(numbers))
          const { memory, layers } = numbers
          const mixes = fittingMixes(memory, layers.groups, budgetOf(numbers), false)
          offloading += mixes.filter(({ policy }) => offloads(memory, policy)).length
          expect(mixes.every(({ policy, count }) => count === 0 || !offloads(memory, policy))).toBe(true)
        }
      }
    }
    expect(offloading).toBeGreaterThan(10)
  })

  for (const schedule of ['zb-h1', 'dualpipe'] as const) {
    it(`of 2 and 4 stages under ${schedule}: closed form, programme and brute force agree`, () => {
      const layouts = workloads.flatMap(([, options]) =>
        [2, 4].flatMap((pipeline) =>
          [{}, { tensor: 2 }].flatMap((sizes) =>
            layoutsOf({ ...options, schedules: [schedule], constraints: { pipeline, ...sizes } }).slice(0, 2),
          ),
        ),
      )
      expect(layouts.length).toBeGreaterThan(8)
      layouts.forEach((layout, index) => {
        const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
        const best = bruteForce(numbers)
        expectAgreed(numbers, best)
      })
    })
  }

  it('finds that nothing fits where nothing does', () => {
    const [options] = workloads.map(([, own]) => own)
    for (const numbers of options ? layoutsOf(options) : []) {
      const none = withBudget(numbers, -0.1)
      expect(closedForm(none)).toBe(Number.POSITIVE_INFINITY)
      for (const solver of [javascriptLpSolver, highs]) {
        expect(solveMemoryPolicy(none, solver)).toEqual({ status: 'infeasible' })
        expect(relaxMemoryPolicy(none, solver)).toEqual({ status: 'infeasible' })
      }
    }
  })

  it('chooses a mix that fits and takes as long as it says', () => {
    for (const [, options] of workloads) {
      for (const layout of layoutsOf({ ...options, constraints: { pipeline: [1, 2] } })) {
        const numbers = withBudget(layout, 0.4)
        const answer = solveMemoryPolicy(numbers, javascriptLpSolver)
        if (answer.status !== 'optimal' || !answer.mix) throw new Error('some mix fits')
        const { groups } = numbers.layers
        expect(shortBytes(numbers.memory, groups, answer.mix, budgetOf(numbers))).toBeLessThanOrEqual(0)
        expectAlike(timeOf(numbers, answer.mix), answer.stepTimeSeconds)
      }
    }
  })
})

const base = costModel(
  problem({
    model: 'llama-3-8b',
    chip: 'h100-sxm',
    chips: 8,
    batchTokens: 2 ** 20,
    sequenceLength: 8192,
    rematerialization: ['none', 'minimal', 'save_qkv_proj', 'full'],
  }),
)
const policies = base.policies.length

/** Thousandths between two bounds: numbers that differ or do not. */
const between = (least: number, most: number) =>
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => least + ((most - least) * thousandths) / 1000)

const several = (least: number, most: number, length: number) =>
  fc.array(between(least, most), { minLength: length, maxLength: length })

const moved = (most: number) => several(0, most, createTraffic(base.resources).length)

const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b)

/** Policies in the order of what they keep: the leaner of two has at least as much to do, of everything. */
const layerOfKind = fc
  .record({
    kept: several(0.1, 2, policies),
    backward: several(1e-3, 5e-3, policies),
    traffics: fc.array(moved(5e-3), { minLength: policies, maxLength: policies }),
    forward: between(1e-3, 3e-3),
    forwardTraffic: moved(2e-3),
    gradients: moved(4e-3),
    weights: moved(4e-3),
    states: between(0.02, 0.2),
    gradientShare: between(0, 0.6),
  })
  .map((made) => {
    const columns = createTraffic(base.resources).map((_, part) => part)
    const sorted = [...columns].map((part) => ascending(made.traffics.map((own) => own[part] ?? 0)))
    const backward = ascending(made.backward)
    return {
      ...made,
      kept: ascending(made.kept).reverse(),
      backward,
      traffics: made.traffics.map((_, policy) => columns.map((part) => sorted[part]?.[policy] ?? 0)),
      weightGradients: made.gradientShare * (backward[0] ?? 0),
    }
  })

type LayerOfKind = typeof layerOfKind extends fc.Arbitrary<infer Layer> ? Layer : never

/** Of a stage with so many layers of each kind, per layer. */
function blended(composition: Composition, dense: LayerOfKind, sparse: LayerOfKind): LayerOfKind {
  const one = (pick: (layer: LayerOfKind) => number) => blend(composition, pick(dense), pick(sparse))
  const traffic = (pick: (layer: LayerOfKind) => number[] | undefined) =>
    (pick(dense) ?? []).map((own, part) => blend(composition, own, pick(sparse)?.[part] ?? 0))
  const each = (pick: (layer: LayerOfKind) => readonly number[]) =>
    pick(dense).map((own, policy) => blend(composition, own, pick(sparse)[policy] ?? 0))
  return {
    kept: each(({ kept }) => kept),
    backward: each(({ backward }) => backward),
    traffics: dense.traffics.map((_, policy) => traffic(({ traffics }) => traffics[policy])),
    forward: one(({ forward }) => forward),
    forwardTraffic: traffic(({ forwardTraffic }) => forwardTraffic),
    gradients: traffic(({ gradients }) => gradients),
    weights: traffic(({ weights }) => weights),
    states: one(({ states }) => states),
    gradientShare: one(({ gradientShare }) => gradientShare),
    weightGradients: one(({ weightGradients }) => weightGradients),
  }
}

/** Chips that hold stages of either end. */
function mirrored(compositions: readonly Composition[]): readonly Composition[] {
  return compositions.map((one, stage) => {
    const other = compositions[compositions.length - 1 - stage] ?? one
    return {
      layers: (one.layers + other.layers) / 2,
      dense: (one.dense + other.dense) / 2,
      sparse: (one.sparse + other.sparse) / 2,
    }
  })
}

const madeUp: fc.Arbitrary<LayoutNumbers> = fc
  .record({
    dense: layerOfKind,
    sparse: layerOfKind,
    unlike: fc.boolean(),
    withExperts: fc.array(between(0, 1), { minLength: 4, maxLength: 4 }),
    headGradientShare: between(0, 0.6),
    head: between(0, 5e-3),
    stageLayers: fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 1, maxLength: 4 }),
    name: fc.constantFrom('gpipe', '1f1b', 'interleaved-1f1b', 'zb-h1', 'dualpipe'),
    microbatches: fc.constantFrom(1, 2, 4, 6, 8),
    workspace: fc.boolean(),
    share: between(0, 1),
  })
  .map((made) => {
    const stages = made.stageLayers.length
    const name = canRun(scheduleRow(made), stages, made.microbatches) ? made.name : 'zb-h1'
    const schedule: Schedule =
      stages === 1
        ? { name: 'none', virtualStages: 1 }
        : { name, virtualStages: name === 'interleaved-1f1b' ? 2 : 1 }
    const { microbatches } = made
    const compositions = made.stageLayers.map((layers, stage): Composition => {
      const sparse = Math.round(layers * (made.withExperts[stage] ?? 0))
      return { layers, dense: layers - sparse, sparse }
    })
    const total = (pick: (composition: Composition) => number) =>
      compositions.reduce((sum, composition) => sum + pick(composition), 0)
    const all: Composition = {
      layers: total(({ layers }) => layers),
      dense: total(({ dense }) => dense),
      sparse: total(({ sparse }) => sparse),
    }
    const layer = made.unlike ? blended(all, made.dense, made.sparse) : made.dense
    const of = (composition: Composition) => blended(composition, made.dense, made.sparse)
    const gibibyte = 2 ** 30
    const nothing = { weights: 0, gradients: 0, optimizer: 0, onHost: 0, gathered: 0, unscattered: 0 }
    const inBytes = (values: readonly number[]) => values.map((own) => own * gibibyte)
    const memoryOf = (own: LayerOfKind): MemoryNumbers => ({
      layer: { ...nothing, weights: own.states * gibibyte },
      embedding: nothing,
      positions: nothing,
      head: { ...nothing, weights: 0.3 * gibibyte },
      kept: inBytes(own.kept),
      live: inBytes(own.kept.map((bytes) => (made.workspace ? Math.max(...own.kept) - bytes : 0))),
      host: own.kept.map(() => 0),
      stream: 0,
      gatheredStream: 0,
      logits: 0,
      reserve: 0,
      layersGathered: 2,
      summedGradients: 1,
      hostRoom: Number.POSITIVE_INFINITY,
      tied: false,
      shardsOptimizer: false,
      least: 0,
    })
    const still = createTraffic(base.resources)
    const end = {
      forward: still,
      backward: still,
      gradients: made.dense.gradients,
      weights: made.dense.weights,
    }
    const trafficOf = (own: LayerOfKind): TrafficNumbers => ({
      forward: own.forwardTraffic,
      backward: (policy) => own.traffics[policy] ?? still,
      gradients: own.gradients,
      weights: own.weights,
      embedding: end,
      head: end,
      transfer: still,
      transferTime: 1e-4,
      host: [],
    })
    const computeOf = ({ forward, backward, weightGradients }: LayerOfKind): ComputeNumbers => ({
      ...{ forward, backward, weightGradients },
      headForward: made.head,
      headBackward: made.head,
      headWeightGradients: made.headGradientShare * made.head,
    })
    const composed = made.unlike
      ? {
          memory: {
            ...memoryOf(layer),
            keptByKind: [made.dense, made.sparse].map(({ kept }) => inBytes(kept)),
            of: remembered((composition: Composition) => memoryOf(of(composition))),
          },
          traffic: {
            ...trafficOf(layer),
            of: remembered((composition: Composition) => trafficOf(of(composition))),
          },
          compute: {
            ...computeOf(layer),
            of: remembered((composition: Composition) => computeOf(of(composition))),
          },
        }
      : { memory: memoryOf(layer), traffic: trafficOf(layer), compute: computeOf(layer) }
    const groups = stageGroups(
      made.stageLayers,
      schedule,
      microbatches,
      made.unlike ? (name === 'dualpipe' ? mirrored(compositions) : compositions) : null,
    )
    const layers = { groups, schedule, microbatches, update: 1e-3 }
    // Off the thousandths: no budget is met to the byte, where rounding decides.
    return withBudget({ model: base, ...composed, layers }, 0.998 * made.share + 0.00123456)
  })

describe('numbers made up', () => {
  law('closed form, programme and brute force agree', 40, [madeUp], (numbers) => {
    const best = bruteForce(numbers)
    expectAgreed(numbers, best)
  })

  law('real counts are no slower than those of two policies', 25, [madeUp], (numbers) => {
    const two = timeOfAnswer(solveMemoryPolicy(numbers, highs))
    const real = timeOfAnswer(relaxMemoryPolicy(numbers, javascriptLpSolver))
    expect(real).toBeLessThanOrEqual(two * (1 + 1e-6))
    expectAlike(timeOfAnswer(relaxMemoryPolicy(numbers, highs)), real)
  })

  law('the price of memory is the slope of the relaxed step time', 25, [madeUp], (numbers) => {
    const price = (solver: Solver) => {
      const answer = relaxMemoryPolicy(numbers, solver)
      return answer.status === 'optimal' ? answer.secondsPerByte : 0
    }
    const { memoryBudget } = numbers.model.problem
    const step = 1e-4 * memoryBudget
    const at = (budget: number) => {
      const problem = { ...numbers.model.problem, memoryBudget: budget }
      return timeOfAnswer(relaxMemoryPolicy({ ...numbers, model: { ...numbers.model, problem } }, highs))
    }
    const here = at(memoryBudget)
    // Convex in the budget: the price lies between the slopes on either side, whichever vertex has it.
    const rising = (here - at(memoryBudget + step)) / step
    const falling = (at(memoryBudget - step) - here) / step
    const slack = (1e-6 * here) / step
    for (const solver of [javascriptLpSolver, highs]) {
      expect(price(solver)).toBeGreaterThanOrEqual(rising - slack)
      expect(price(solver)).toBeLessThanOrEqual(falling + slack)
    }
  })
})
