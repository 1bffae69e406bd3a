/**
 * The memory policy, chosen three ways (memory-policy.test.ts), on random numbers that share only one property with real
 * ones: a policy that keeps less recomputes no less.
 */
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { createTraffic } from '../../../src/cost/communication/traffic.ts'
import { blend } from '../../../src/cost/compile/composed.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import type { ComputeNumbers, TrafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { remembered } from '../../../src/known.ts'
import type { Composition } from '../../../src/model/composition.ts'
import type { Schedule } from '../../../src/recipe/schedule.ts'
import { canRun, scheduleRow } from '../../../src/recipe/schedule.ts'
import { relaxMemoryPolicy, solveMemoryPolicy } from '../../../src/search/memory-policy/memory-policy.ts'
import type { LayoutNumbers } from '../../../src/search/stages/stage-windows.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { highs } from '../../solvers.ts'
import { bruteForce, expectAgreed, expectAlike, timeOfAnswer, withBudget } from './policy-answers.ts'

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
      userBuffers: 0,
      logits: 0,
      endsOnEveryStage: false,
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
