/** Mixtures of experts in training: their cost compared to dense models, and what the expert axis divides. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { distinctPlaces, placesOf } from '../../../src/cost/communication/routing.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../../src/cost/model.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import type { MixtureOfExperts } from '../../../src/model/transformer.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../../src/sharding/states.ts'
import { enumeration, type Priced } from '../../agree/training/enumeration.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { oddDense } from '../../small-model.ts'

const dense: Architecture = { ...oddDense, layers: 4, heads: 8 }

const mixture: MixtureOfExperts = {
  experts: 8,
  activeExperts: 2,
  sharedExperts: 0,
  dFfExpert: 2048,
  denseLayers: 0,
  every: 1,
}

function withExperts(experts: Partial<MixtureOfExperts> = {}, letters: Partial<Architecture> = {}) {
  return { ...dense, ...letters, experts: { ...mixture, ...experts } }
}

const workload = { batchTokens: 16 * 2048, sequenceLength: 2048 }
const few = ['none', 'full']

function everyPlan(made: Problem): readonly Priced[] {
  const plans: Priced[] = []
  enumeration(costModel(made), { plan: (plan) => plans.push(plan) })
  return plans
}

/** The same plans of two problems, side by side. */
function pairs(one: Problem, other: Problem): readonly (readonly [Priced, Priced])[] {
  const [left, right] = [everyPlan(one), everyPlan(other)]
  expect(left.length).toBeGreaterThan(100)
  expect(right).toHaveLength(left.length)
  return left.map((plan, at) => [plan, right[at] as Priced])
}

function apart(a: number, b: number): number {
  return Math.abs(a / b - 1)
}

describe('a mixture of one expert as wide as the MLP', () => {
  const clusters: readonly Pick<ProblemOptions, 'chip' | 'chips' | 'topology'>[] = [
    { chip: 'tpu-v5e', topology: [2, 4] },
    { chip: 'h100-sxm', chips: 8 },
  ]
  const one = { experts: 1, activeExperts: 1, dFfExpert: dense.dFf }

  it.each(
    clusters,
  )('takes the time and the memory of the dense model in every plan of the book, on %j', (on) => {
    const made = (model: Architecture) => problem({ ...workload, ...on, model, assumptions: 'book' })
    for (const [a, b] of pairs(made(dense), made(withExperts(one)))) {
      for (const bound of ['lower', 'expected', 'upper'] as const) {
        expect(apart(a.times[bound], b.times[bound])).toBeLessThan(1e-12)
      }
      a.groups.forEach((group) => {
        const [bytes, same] = [stageBytes(a.memory, group, a.mix), stageBytes(b.memory, group, b.mix)]
        expect(apart(bytes, same)).toBeLessThan(1e-12)
      })
    }
  })

  it.each(
    clusters,
  )('takes its time in every calibrated plan, but for the copies that it sorts, on %j', (on) => {
    const assumptions = { basis: 'calibrated', elementwise: false } as const
    const made = (model: Architecture) =>
      problem({ ...workload, ...on, model, assumptions, rematerialization: few, memoryFraction: 100 })
    for (const [a, b] of pairs(made(dense), made(withExperts(one)))) {
      for (const bound of ['lower', 'expected', 'upper'] as const) {
        expect(apart(a.times[bound], b.times[bound])).toBeLessThan(1e-12)
      }
    }
  })

  it('pads an MLP that the tensor axis does not divide as the dense model does', () => {
    const made = (model: Architecture) =>
      problem({
        ...workload,
        chip: 'h100-sxm',
        chips: 8,
        model,
        assumptions: { basis: 'calibrated', elementwise: false },
        rematerialization: few,
        constraints: { tensor: { min: 4 } },
        memoryFraction: 100,
      })
    const odd = { dFf: 1001 }
    const mixed = withExperts({ ...one, dFfExpert: 1001 }, odd)
    for (const [a, b] of pairs(made({ ...dense, ...odd }), made(mixed))) {
      expect(apart(a.times.expected, b.times.expected)).toBeLessThan(1e-12)
    }
  })

  it('keeps what the dense model keeps, and where it keeps the input of its experts one copy of a token more', () => {
    const made = (model: Architecture) =>
      costModel(problem({ ...workload, ...clusters[1], chip: 'h100-sxm', model }))
    const [plain, mixed] = [made(dense), made(withExperts(one))]
    const mesh = { ...unitMesh, fsdp: 8 }
    const numbers = [plain, mixed].map((model) => memoryAt(model, mesh, 3))
    const [a, b] = numbers as [ReturnType<typeof memoryAt>, ReturnType<typeof memoryAt>]
    const copy = (workload.batchTokens / 8) * dense.dModel * elementBytes.bf16
    const named = (model: CostModel) => model.policies.map(({ name }) => name)
    const both = plain.policies.filter(({ name }) => named(mixed).includes(name))
    expect(both.length).toBeGreaterThan(2)
    both.forEach(({ name, mlp }) => {
      const keptBy = (model: CostModel, { kept }: typeof a) => kept[named(model).indexOf(name)] ?? 0
      const more = keptBy(mixed, b) - keptBy(plain, a)
      expect(more / copy).toBeCloseTo(mlp.includes('Dispatched') ? 1 : 0, 9)
    })
    for (const state of ['weights', 'gradients', 'optimizer', 'gathered', 'unscattered'] as const) {
      expect(apart(a.layer[state], b.layer[state])).toBeLessThan(1e-12)
    }
  })
})

function memoryAt(model: CostModel, mesh: Mesh, zeroStage: ZeroStage, sequences?: number) {
  const scale = createScale()
  const { workload: work, assumptions } = model.problem
  setMesh(scale, mesh, model.extents, assumptions)
  setBatch(scale, sequences ?? work.batchTokens / work.sequenceLength)
  return memoryNumbers(model, stageModel(model, zeroStage), scale)
}

const sizes = fc.constantFrom(1, 2, 4)
const meshes: fc.Arbitrary<Mesh> = fc
  .record({ data: sizes, fsdp: sizes, tensor: sizes, context: sizes, expert: fc.constantFrom(1, 2, 4, 8) })
  .map((mesh) => ({ ...unitMesh, ...mesh }))

/** By ZeRO stage, the axes that divide the states of a weight that the tensor axis shards, experts or not. */
const stateDivisors = {
  weights: [[], [], [], ['fsdp', 'context', 'expert']],
  gradients: [[], [], ['data', 'fsdp', 'context', 'expert'], ['fsdp', 'context', 'expert']],
  optimizer: [
    [],
    ['data', 'fsdp', 'context', 'expert'],
    ['data', 'fsdp', 'context', 'expert'],
    ['fsdp', 'context', 'expert'],
  ],
} as const

describe('the states of a mixture of experts', () => {
  const costed = (model: Architecture) =>
    costModel(problem({ ...workload, model, chip: 'h100-sxm', chips: 8 }))
  const product = (mesh: Mesh, divided: readonly (keyof Mesh)[]) =>
    [...new Set(divided)].reduce((size, axis) => size * mesh[axis], 1)

  it.each([
    [
      'of the experts are divided by the expert axis and, in their group of replicas, by what is left',
      withExperts({ dFfExpert: 4096 }),
      ['expert', 'tensor'],
    ],
    ['of all else by the expert axis as one more of data', withExperts({}, { headDim: 256 }), ['tensor']],
  ] as const)('%s', (_, more, own) => {
    const [less, most] = [costed(withExperts()), costed(more)]
    forAll(60, [meshes, fc.constantFrom(...zeroStages)], (mesh, zeroStage) => {
      const added = (on: Mesh, state: keyof typeof stateDivisors) =>
        memoryAt(most, on, zeroStage).layer[state] - memoryAt(less, on, zeroStage).layer[state]
      for (const state of ['weights', 'gradients', 'optimizer'] as const) {
        const divided = product(mesh, [...own, ...stateDivisors[state][zeroStage]])
        expect(apart(added(unitMesh, state) / divided, added(mesh, state))).toBeLessThan(1e-9)
      }
    })
  })
})

describe('the activations of routed experts', () => {
  it('are not shrunk by the expert axis: replicas by it keep what replicas by data keep', () => {
    const model = costModel(
      problem({ ...workload, model: withExperts({ sharedExperts: 1 }), chip: 'h100-sxm', chips: 8 }),
    )
    for (const zeroStage of zeroStages) {
      const kept = (mesh: Partial<Mesh>) => memoryAt(model, { ...unitMesh, ...mesh }, zeroStage).kept
      expect(kept({ expert: 8 })).toEqual(kept({ data: 8 }))
      expect(kept({ expert: 2, fsdp: 4 })).toEqual(kept({ data: 8 }))
    }
  })

  it('grow with the experts that a token visits', () => {
    const kept = (activeExperts: number) => {
      const made = problem({ ...workload, model: withExperts({ activeExperts }), chip: 'h100-sxm', chips: 8 })
      return memoryAt(costModel(made), { ...unitMesh, expert: 8 }, 1).kept[0] ?? 0
    }
    expect(kept(4) - kept(2)).toBeCloseTo(2 * (kept(2) - kept(1)), 0)
    const copies = (workload.batchTokens / 8) * (1024 + 3 * 2048) * elementBytes.bf16
    expect(kept(2) - kept(1)).toBeCloseTo(copies, 0)
  })
})

function planOf(made: Problem, sketch: Omit<PlanSketch, 'mesh'> & { mesh: Partial<Mesh> }): Plan {
  return legal(evaluate(made, { ...sketch, mesh: { ...unitMesh, ...sketch.mesh } }, javascriptLpSolver)).plan
}

describe('an axis of one', () => {
  it('moves nothing: neither experts nor context', () => {
    const made = problem({ ...workload, model: withExperts(), chip: 'h100-sxm', chips: 16 })
    for (const mesh of [
      { data: 16 },
      { fsdp: 16 },
      { fsdp: 4, tensor: 4 },
      { data: 2, pipeline: 4, tensor: 2 },
    ]) {
      const { timeSeconds, collectives } = planOf(made, { mesh })
      expect(timeSeconds.communication.expert).toBe(0)
      expect(timeSeconds.communication.context).toBe(0)
      expect(collectives.filter(({ over }) => /expert|context/.test(over))).toEqual([])
      // Tensor ranks may hold whole experts, and then send tokens to each other.
      const sent = collectives.filter(({ op, over }) => op === 'AllToAll' && over !== 'tensor')
      expect(sent).toEqual([])
    }
  })

  it('of more moves something', () => {
    const made = problem({ ...workload, model: withExperts(), chip: 'h100-sxm', chips: 16 })
    const { timeSeconds, collectives } = planOf(made, { mesh: { expert: 8, context: 2 }, zeroStage: 1 })
    expect(timeSeconds.communication.expert).toBeGreaterThan(0)
    expect(timeSeconds.communication.context).toBeGreaterThan(0)
    const exchanged = collectives.filter(({ op }) => op === 'AllToAll')
    expect(exchanged.map(({ over }) => over)).toEqual(exchanged.map(() => 'expert'))
  })
})

describe('dispatch and combine', () => {
  it('move as many bytes backwards as forwards', () => {
    const made = problem({
      ...workload,
      model: withExperts(),
      chip: 'h100-sxm',
      chips: 16,
      assumptions: { basis: 'calibrated', policies: ['none'] },
    })
    const { collectives } = planOf(made, { mesh: { data: 2, expert: 8 }, zeroStage: 1 })
    const bytes = (wanted: string) =>
      collectives
        .filter(({ op, pass }) => op === 'AllToAll' && pass === wanted)
        .map(({ bytes: moved }) => moved)
        .sort()
    expect(bytes('forward')).toHaveLength(2)
    expect(bytes('backward')).toEqual(bytes('forward'))
  })

  it('take the tokens to as many devices as random choices meet', () => {
    for (const devices of [1, 2, 3, 4]) {
      for (const choices of [1, 2, 3, 5]) {
        expect(distinctPlaces(devices, choices)).toBeCloseTo(meanDistinct(devices, choices), 9)
      }
    }
  })

  const faster = (
    name: string,
    on: Partial<MixtureOfExperts>,
    assumptions: Partial<Problem['assumptions']> = {},
  ) =>
    it(`are never slower ${name}`, () => {
      for (const chip of ['h100-sxm', 'tpu-v5e'] as const) {
        const made = (experts: Partial<MixtureOfExperts>, terms: Partial<Problem['assumptions']>) =>
          problem({
            ...workload,
            model: withExperts(experts),
            chip,
            ...(chip === 'tpu-v5e' ? { topology: [4, 4] } : { chips: 16 }),
            constraints: { tensor: 1, pipeline: 1, expert: { min: 2 }, microbatches: 1 },
            rematerialization: few,
            memoryFraction: 100,
            assumptions: { basis: 'calibrated', hierarchicalDispatch: true, ...terms },
          })
        const both = pairs(made(on, {}), made({}, assumptions))
        expect(both.filter(([a, b]) => a.times.expected > b.times.expected * (1 + 1e-12))).toEqual([])
        const gains = both.filter(([a, b]) => a.times.expected < b.times.expected * (1 - 1e-9))
        if (chip === 'h100-sxm') expect(gains).not.toEqual([])
      }
    })

  faster('where the router keeps to fewer nodes', { nodeLimit: 1 })
  faster('where a token crosses to a node once', {}, { hierarchicalDispatch: false })
})

/** Of all choices there are, how many distinct devices they meet on average. */
function meanDistinct(devices: number, choices: number): number {
  const all = Array.from({ length: choices }).reduce<readonly (readonly number[])[]>(
    (made) => made.flatMap((chosen) => Array.from({ length: devices }, (_, device) => [...chosen, device])),
    [[]],
  )
  return all.reduce((sum, chosen) => sum + new Set(chosen).size, 0) / all.length
}

describe('a model of which some layers have experts', () => {
  it('takes the mean time of its layers', () => {
    const layerTime = (model: Architecture) => {
      const made = problem({
        ...workload,
        model: { ...model, vocab: 1 },
        chip: 'h100-sxm',
        chips: 16,
        assumptions: 'book',
      })
      const { upperBoundSeconds } = planOf(made, {
        mesh: { data: 2, expert: 8 },
        zeroStage: 0,
        microbatches: 1,
      })
      return upperBoundSeconds
    }
    // The expert axis is one more of data to the dense layers, and no dense model has it.
    const [all, half, quarter] = [1, 2, 4].map((every) =>
      layerTime(withExperts({ every, dFfExpert: 1000 })),
    ) as [number, number, number]
    expect(apart(half - all, 2 * (quarter - half))).toBeLessThan(1e-9)
    const first = layerTime(withExperts({ denseLayers: 2, dFfExpert: 1000 }))
    expect(apart(first, half)).toBeLessThan(1e-12)
  })
})

describe('a plan that spreads experts', () => {
  it('warns that routing is assumed to be balanced, and one that does not need not', () => {
    const made = problem({ ...workload, model: withExperts(), chip: 'h100-sxm', chips: 8 })
    const warningsOf = (mesh: Partial<Mesh>) => {
      return legal(
        evaluate(made, { mesh: { ...unitMesh, ...mesh }, zeroStage: 1 }, javascriptLpSolver),
      ).warnings.join()
    }
    expect(warningsOf({ expert: 8 })).toContain('routing is assumed to be balanced')
    expect(warningsOf({ data: 8 })).not.toContain('routing')
  })
})

describe('how often a token is sent', () => {
  const one = fc.integer({ min: 2, max: 64 })

  law(
    'is once for each expert where kernels know nothing of devices, and never more where they do',
    100,
    [one, fc.integer({ min: 1, max: 16 }), fc.boolean()],
    (devices, choices, choicesApart) => {
      const plain = placesOf(devices, choices, { hierarchicalDispatch: false, choicesApart })
      const known = placesOf(devices, choices, { hierarchicalDispatch: true, choicesApart })
      expect(plain).toBe(choices)
      expect(known).toBeLessThanOrEqual(Math.min(devices, choices) * (1 + 1e-12))
      expect(known).toBeGreaterThan(0)
    },
  )

  it('is nowhere on one device', () => {
    expect(placesOf(1, 8, { hierarchicalDispatch: false, choicesApart: false })).toBe(1)
  })
})
