/**
 * Rules about models, networks and frameworks: each can be broken, and gives a reason; the values that it calls legal
 * do not break it; plans that break none are run.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placements } from '../../../src/hardware/network/placement.ts'
import { infer } from '../../../src/infer.ts'
import { onePass } from '../../../src/inference/layout/served.ts'
import { servers, trainers } from '../../../src/launch/framework.ts'
import { runFaults } from '../../../src/launch/run/rules.ts'
import { cutRun, type Run } from '../../../src/launch/run/run.ts'
import { type Serving, serving } from '../../../src/launch/server/serving.ts'
import { servingLaunchers } from '../../../src/launch/serving.ts'
import { trainingLaunchers } from '../../../src/launch/trainers.ts'
import { optimize } from '../../../src/optimize.ts'
import { axisPlacements } from '../../../src/plan/account/placement.ts'
import type { AxisPlacementSketch, PlanSketch, Problem } from '../../../src/problem.ts'
import { type ElementType, elements } from '../../../src/recipe/element-types.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import { scheduleRows } from '../../../src/recipe/schedule.ts'
import { layoutRules } from '../../../src/rules/layout.ts'
import { layoutFaults, sketchAfter } from '../../../src/rules/layout-faults.ts'
import type { LayoutRead } from '../../../src/rules/layout-rule.ts'
import { byLevel } from '../../../src/rules/levels.ts'
import { meshFaults } from '../../../src/rules/mesh-faults.ts'
import { meshAfter } from '../../../src/rules/mesh-ways.ts'
import {
  type MeshQuestion,
  type MeshRead,
  servedMeshRules,
  trainedMeshRules,
} from '../../../src/rules/model.ts'
import { allChips, type ChipsRead, placeable } from '../../../src/rules/network.ts'
import { nextTo, type PartRule, type Way, wayText } from '../../../src/rules/part-rule.ts'
import { type ComponentRead, componentRules, type PassRead, passRules } from '../../../src/rules/phase.ts'
import { type EntryRead, entryRules, type WholeRead, wholeRule } from '../../../src/rules/placement.ts'
import { faults, keeps, type Rule } from '../../../src/rules/rule.ts'
import { trainedQuestion } from '../../../src/search/meshes/meshes.ts'
import { type Axis, type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { fieldsNamed } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const models = [
  ...['llama-3-8b', 'gpt-3-125m', 'deepseek-v3', 'mixtral-8x7b', 'gemma-2-27b', 'gpt-oss-120b', 'palm-540b'],
  ...['qwen3-8b', 'llama-4-maverick', 'qwen3-30b-a3b'],
]
const machines = [
  { chip: 'h100-sxm', chips: 32 },
  { chip: 'mi300x', chips: 32 },
  { chip: 'l40s', chips: 32 },
  { chip: 'tpu-v5p', topology: [2, 4, 4] },
  { chip: 'tpu-v5e', topology: [4, 4], slices: 2 },
  { chip: 'tpu-7x', topology: [2, 4, 4] },
]
const types = fc.constantFrom<ElementType>(
  'bf16',
  'bf16',
  'bf16',
  'fp32',
  ...elements.map(({ name }) => name),
)
const often = <Value>(usual: Value, ...others: readonly Value[]) =>
  fc.constantFrom(usual, usual, usual, ...others)

/** A model of the catalogue, some of them made odd, on a machine. */
const settings: fc.Arbitrary<Problem> = fc
  .record({
    model: fc.constantFrom(...models),
    machine: fc.constantFrom(...machines),
    sequenceLength: often(4096, 1000, 2048),
    batch: often(64, 48, 7),
    odd: often<Partial<Problem['model']>>({}, { parallelBlocks: true }, { learnedPositions: 512 }),
    attention: often<Partial<Problem['model']['attention']>>(
      {},
      { kvShareGroup: 2 },
      { window: 512, globalEvery: 4 },
    ),
    // A GPU of one's own may have a torus.
    kind: often<'own' | 'gpu'>('own', 'gpu'),
    optimizer: often('adamw', 'sgd', 'momentum', 'adafactor' as const),
    precision: fc.record({
      weights: types,
      compute: types,
      kvCache: types,
      gradients: types,
      optimizer: types,
    }),
    lossChunks: often(1, 3),
    optimizerOnHost: often(false, true),
    masterWeights: often(true, false),
    masterRemainders: often(false, true),
  })
  .map(
    ({
      model,
      machine,
      sequenceLength,
      batch,
      odd,
      attention,
      kind,
      optimizer,
      precision,
      ...assumptions
    }) => {
      const made = problem({
        ...machine,
        model,
        sequenceLength,
        batchTokens: batch * sequenceLength,
        optimizer: optimizer as 'adamw',
        precision: { ...precision, kvCache: precision.kvCache },
        assumptions: { basis: 'calibrated', lossChunks: assumptions.lossChunks },
      })
      const { chip } = made.cluster
      return {
        ...made,
        model: { ...made.model, ...odd, attention: { ...made.model.attention, ...attention } },
        cluster: { ...made.cluster, chip: kind === 'own' ? chip : { ...chip, kind } },
        assumptions: { ...made.assumptions, ...assumptions },
      }
    },
  )

const sizes = fc.constantFrom(1, 1, 1, 2, 4, 8, 3)

/** 32 chips, as what is left over is data. */
const meshes: fc.Arbitrary<Mesh> = fc
  .record({
    fsdp: sizes,
    tensor: sizes,
    tensor2: often(1, 2),
    context: sizes,
    expert: sizes,
    pipeline: sizes,
  })
  .map((axes) => {
    const product = Object.values(axes).reduce((all, size) => all * size, 1)
    return { ...unitMesh, ...axes, data: 32 % product === 0 ? 32 / product : 1 }
  })

const trainingRuns: fc.Arbitrary<Run> = fc
  .record({
    asked: settings,
    mesh: meshes,
    zeroStage: fc.constantFrom(0, 1, 2, 3),
    contextLayout: fc.constantFrom('gather', 'ring', 'ulysses'),
    schedule: fc.constantFrom(...scheduleRows.map(({ name }) => name)),
    virtualStages: often(1, 2, 4),
    microbatches: fc.constantFrom(1, 2, 8),
    sequences: fc.constantFrom(32, 8, 3),
    uneven: often(0, 1, 0.5),
    policies: fc.tuple(
      fc.constantFrom(...policyNames('counted')),
      often('full', ...policyNames('counted')),
      often(0, 2, 0.5),
    ),
    placement: fc.nat(),
  })
  .map(({ asked, mesh, schedule, virtualStages, uneven, policies, placement, ...layout }) => {
    const places = [
      ...placements(asked.cluster.network, mesh),
      ...placements(asked.cluster.network, { ...unitMesh, data: asked.cluster.chips }),
    ]
    const layers = asked.model.layers / mesh.pipeline
    const stageLayers = Array.from(
      { length: mesh.pipeline },
      (_, stage) => layers + (stage === 0 ? uneven : 0),
    )
    const cut = {
      cluster: asked.cluster,
      mesh,
      schedule: { name: schedule, virtualStages },
      stageLayers,
      ...layout,
    }
    const [policy, other, count] = policies
    return {
      ...cutRun(asked, cut as Parameters<typeof cutRun>[1]),
      placement: places[placement % places.length] as Run['placement'],
      recomputation: { policy, other: count === 0 ? policy : other, count },
    }
  })

const servings: fc.Arbitrary<Serving> = fc
  .record({
    setting: settings,
    mesh: meshes,
    attention: fc.constantFrom(
      '1d/heads',
      '1d/heads',
      '1d/batch',
      '1d/heads-batch',
      '1d/sequence',
      '2d/heads',
      'copied-all/batch',
    ),
    mlp: often('1d', 'gathered', '1d-sequences', 'copied-all'),
    experts: fc.constantFrom(
      ...(['1d/sliced', '1d/spread', '1d/dispatched', '1d-sequences/spread', 'copied-all/sliced'] as const),
    ),
    mode: fc.constantFrom('generate' as const, 'prefill' as const, 'serve' as const),
    name: often('m', 'gpt-oss-20b'),
    sequences: fc.constantFrom(1, 8, 64),
    halved: often(false, true),
    total: often(1e9, 79.9e9, 90e9),
    blocks: often({}, { weightBlock: { rows: 128, columns: 128 } }),
  })
  .map(({ setting: drawn, name: called, mesh, mode, sequences, halved, total, blocks, ...parts }) => {
    const { attention, mlp, experts } = parts
    const model = { ...drawn.model, name: called }
    const setting = { ...drawn, model, precision: { ...drawn.precision, ...blocks } }
    const named = { attention, mlp, ...(setting.model.experts ? { experts } : {}) }
    const layouts = Object.entries(named).map(([name, layout]) => {
      const fields = fieldsNamed(layout)
      if (!fields) throw new RangeError(`no layout is called ${layout}`)
      return { ...fields, component: { name, arrays: {}, einsums: [] } }
    })
    const pass = onePass(sequences, halved, Math.ceil(setting.model.layers / mesh.pipeline))
    const none = { parameters: 0, gradients: 0, optimizer: 0, activations: 0, kvCache: 0, workspace: 0 }
    const memory = { ...none, budget: 80e9, total, reserve: 0, host: 0, stage: 0 }
    return serving(setting, { mesh, layouts, pass }, mode, { contextLength: 4096, memory })
  })

/** Draws until each rule is broken, and fails with what the others say where it never is. */
function expectEachToBreak<Read>(
  drawn: fc.Arbitrary<Read>,
  tables: (read: Read) => readonly (readonly [readonly Rule<Read>[], boolean])[],
) {
  const whole = new Set<Rule<Read>>()
  const broken = new Set<Rule<Read>>()
  forAll(3000, [drawn], (read) => {
    for (const [rules, of] of tables(read)) {
      for (const rule of rules) {
        whole.add(rule)
        if (!of || !rule.broken(read)) continue
        broken.add(rule)
        const [said] = faults([rule], read)
        expect(said).toMatch(/\w{3}/)
        expect(said).not.toMatch(/undefined|null|NaN|\[object/)
      }
      expect(keeps(rules, read)).toBe(faults(rules, read).length === 0)
    }
  })
  const never = [...whole].filter((rule) => !broken.has(rule)).map(({ says }) => `${says}`)
  expect(never).toEqual([])
}

/** Draws until each rule is broken, and holds that each way out of it leads out. */
function expectEachToBeMended<Read>(
  drawn: fc.Arbitrary<Read>,
  rules: readonly PartRule<Read>[],
  after: (read: Read, way: Way) => Read,
) {
  expectEachToBreak(drawn, () => [[rules, true]])
  const mended = new Set<PartRule<Read>>()
  forAll(1500, [drawn], (read) => {
    for (const rule of rules.filter(({ broken }) => broken(read))) {
      const pointer = typeof rule.pointer === 'string' ? rule.pointer : rule.pointer(read)
      expect(pointer).toMatch(/^\/plan\/\w/)
      for (const way of rule.nearest?.(read) ?? []) {
        mended.add(rule)
        expect(rule.broken(after(read, way)), `${pointer}: ${wayText(way)}`).toBe(false)
        expect(wayText(way)).not.toMatch(/undefined|NaN/)
      }
    }
  })
  expect(rules.filter(({ nearest }) => nearest).every((rule) => mended.has(rule))).toBe(true)
}

const questions: fc.Arbitrary<MeshQuestion> = fc
  .record({
    name: fc.constantFrom(...models),
    chips: fc.constantFrom(8, 12, 512),
    positions: fc.constantFrom(1, 2, 4096),
    sequences: fc.constantFrom(null, 1, 7, 8, 4096),
    freeTokens: often<number | null>(null, 1, 8),
    padsHeads: fc.boolean(),
    layers: fc.constantFrom(2, 6, 80),
    heads: fc.constantFrom(6, 10, 64),
    experts: fc.constantFrom(3, 8, 64),
  })
  .map(({ name, layers, heads, experts: count, ...question }) => {
    const { model } = problem({
      model: name,
      chip: 'h100-sxm',
      chips: 8,
      batchTokens: 4096,
      sequenceLength: 4096,
    })
    const experts = model.experts && { ...model.experts, experts: count }
    return { ...question, model: { ...model, layers, heads, kvHeads: heads / 2, experts } }
  })

describe.each([
  ['training', trainedMeshRules],
  ['inference', servedMeshRules],
])('a rule of what a model forbids of meshes in %s', (_mode, rules) => {
  const drawn = fc.record({ mesh: meshes, question: questions })

  it('can be broken, says so, and knows what would be legal', () => {
    expectEachToBeMended<MeshRead>(drawn, rules, ({ mesh, question }, way) => {
      const after = meshAfter(mesh, way)
      expect([meshSize(mesh), question.chips]).toContain(meshSize(after))
      return { mesh: after, question }
    })
  })

  law('reads nothing but what it says it reads', 300, [drawn, meshes], ({ mesh, question }, other) => {
    for (const { reads, broken } of rules) {
      const read = Object.fromEntries(reads.map((axis) => [axis, mesh[axis]]))
      expect(broken({ mesh: { ...other, ...read }, question })).toBe(broken({ mesh, question }))
    }
  })
})

describe('a size that does not divide', () => {
  const question = (chips: number) => {
    const asked = {
      model: 'llama-3-70b',
      chip: 'h100-sxm',
      chips,
      batchTokens: 2 ** 22,
      sequenceLength: 4096,
    }
    return trainedQuestion(problem(asked))
  }
  const waysOf = (mesh: Partial<Mesh>, chips: number) => {
    const [fault] = meshFaults(trainedMeshRules, { ...unitMesh, ...mesh }, question(chips))
    return fault?.nearest?.map(wayText)
  }

  it('is mended by the nearest one, on all chips rather than on those that the mesh has', () => {
    expect(waysOf({ tensor: 7, data: 73 }, 512)).toEqual(['tensor 8, data 64', 'tensor 4, data 128'])
    expect(waysOf({ tensor: 3, data: 170 }, 512)?.[0]).toBe('tensor 4, data 128')
  })

  it('is mended on the chips of the mesh where its other axes do not divide all of them', () => {
    expect(waysOf({ tensor: 6, pipeline: 7, data: 12 }, 512)).toEqual([
      'tensor 8, data 9',
      'tensor 4, data 18',
    ])
  })
})

describe('an axis that is pinned to a size that no mesh may have', () => {
  it('is told in the answer, with sizes that have plans', () => {
    const asked = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 48, batchTokens: 196_608, sequenceLength: 4096 },
      constraints: { tensor: 6 },
      assumptions: { basis: 'calibrated', frameworks: [] },
    })
    const { infeasible } = optimize(asked, solver)
    expect(infeasible?.reasons[0]).toMatchObject({
      reason: 'divisibility',
      detail: expect.stringContaining('/constraints/tensor: tensor x tensor2 = 6 does not divide 32 heads'),
    })
    const own = infeasible?.suggestions.filter(
      ({ pointer, value }) => pointer === '/constraints/tensor' && value,
    )
    expect(own?.map(({ value }) => value)).toEqual([8, 4])
    expect(optimize({ ...asked, constraints: { tensor: 8 } }, solver).plans).not.toEqual([])
    // Of chips that it does not divide either.
    const odd = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 131_072, sequenceLength: 4096 },
      constraints: { tensor: 3 },
    })
    const others = optimize(odd, solver).infeasible?.suggestions.filter(
      ({ value }) => typeof value === 'number',
    )
    expect(others?.map(({ value }) => value)).toEqual([4, 2])
  })

  it.each([
    [{ expert: 8 }, '/constraints/expert: a dense model has no experts to shard'],
    [{ fsdp: 4 }, '/constraints/fsdp: inference has no optimizer states to shard'],
  ])('is the first reason of inference too: %j', (constraints, detail) => {
    const asked = inferenceProblem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, constraints, workload: generation(16, 2048) },
      assumptions: { basis: 'calibrated' },
    })
    expect(infer(asked, solver).infeasible?.reasons[0]?.detail).toContain(detail)
  })

  it('is told of inference with sizes that have plans, as of training', () => {
    const asked = inferenceProblem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 24, workload: generation(24, 2048) },
      ...{ constraints: { tensor: 6 }, assumptions: { basis: 'calibrated' } },
    })
    const { infeasible } = infer(asked, solver)
    expect(infeasible?.reasons[0]?.detail).toContain('/constraints/tensor')
    const own = infeasible?.suggestions.filter(({ pointer }) => pointer === '/constraints/tensor') ?? []
    expect(own.map(({ value }) => value)).toEqual([8, 4, null])
    for (const { value } of own) {
      const constraints = value === null ? {} : { tensor: Number(value) }
      expect(infer({ ...asked, constraints }, solver).plans).not.toEqual([])
    }
  })
})

describe('a rule of what chips and networks forbid of a mesh', () => {
  it('can be broken, says so, and knows what would be legal', () => {
    const hosts = [{ axis: 'data', framework: 'Megatron-LM' }] as const
    const drawn = fc.record({ mesh: meshes, chips: fc.constantFrom(32, 96, 7), hosts: fc.constant(hosts) })
    expectEachToBeMended<ChipsRead>(drawn, [allChips], (read, way) => {
      return { ...read, mesh: meshAfter(read.mesh, way) }
    })
    const { network } = problem({
      ...{ chip: 'tpu-v5e', topology: [4, 4], model: 'llama-3-8b', batchTokens: 4096, sequenceLength: 4096 },
    }).cluster
    expectEachToBreak(fc.record({ network: fc.constant(network), places: fc.constantFrom(0, 1) }), () => [
      [[placeable], true],
    ])
  })
})

describe('a rule of where a plan says that axes lie', () => {
  it.each([
    { chip: 'tpu-v5e', topology: [4, 4], slices: 2 },
    { chip: 'h100-sxm', chips: 32 },
  ])('can be broken, and says so, on $chip', (machine) => {
    const one = { model: 'llama-3-8b', batchTokens: 4096, sequenceLength: 4096 }
    const { cluster } = problem({ ...machine, ...one })
    const mesh = { ...unitMesh, fsdp: 8, tensor: 4 }
    const left = placements(cluster.network, mesh).map((placed) => axisPlacements(placed, mesh, cluster))
    const entries: fc.Arbitrary<AxisPlacementSketch> = fc.record(
      {
        axis: fc.constantFrom<Axis>('fsdp', 'tensor', 'data'),
        physical: fc.constantFrom([], [0], [1], [0, 1]),
        on: fc.constantFrom('ici', 'dcn', 'node', 'nowhere'),
        wraps: fc.boolean(),
        parts: fc.constantFrom([{ physical: 0, size: 4, stride: 1 }], [{ physical: 0, size: 3, stride: 1 }]),
      },
      { requiredKeys: ['axis', 'physical'] },
    )
    const read = entries.map((entry) => ({ index: 0, entry, left, network: cluster.network }))
    expectEachToBreak<EntryRead>(read, () => [[entryRules, true]])
    const several = fc.array(entries, { maxLength: 3 }).map((wanted) => ({ wanted, left }))
    expectEachToBreak<WholeRead>(several, () => [[[wholeRule], true]])
  })
})

describe('a rule of a written layout of training', () => {
  const one = problem({
    model: 'llama-3-8b',
    chip: 'h100-sxm',
    chips: 32,
    batchTokens: 262_144,
    sequenceLength: 4096,
  })
  const policies = policyNames('counted')
  const sketches: fc.Arbitrary<PlanSketch> = fc.record(
    {
      mesh: meshes,
      zeroStage: fc.constantFrom(0, 1, 3),
      contextLayout: fc.constantFrom(...contextLayouts),
      microbatches: fc.constantFrom(1, 3, 8, 128),
      microbatchTokens: fc.constantFrom(4096, 8192, 131_072),
      pipelineSchedule: fc.constantFrom(...scheduleRows.map(({ name }) => name)),
      virtualStages: fc.constantFrom(1, 2, 16),
      stageLayers: fc.constantFrom([32], [16, 16], [16, 15], [8, 8, 8, 8]),
      rematerialization: fc.oneof(
        fc.constantFrom('none', 'nonsense'),
        fc.array(fc.record({ policy: fc.constantFrom(...policies), layers: fc.constantFrom(16, 15.5, 32) }), {
          minLength: 1,
          maxLength: 3,
        }),
      ),
    },
    { requiredKeys: ['mesh'] },
  )

  it('can be broken, says so, and knows what would be legal', () => {
    expectEachToBeMended<LayoutRead>(
      sketches.map((sketch) => ({ problem: one, sketch })),
      layoutRules,
      (read, way) => ({ ...read, sketch: sketchAfter(read.sketch, way) }),
    )
  })

  law('is told with ways that break no other rule', 300, [sketches], (sketch) => {
    const before = layoutFaults(one, sketch)
    for (const { pointer, nearest = [] } of before) {
      for (const way of nearest) {
        const after = layoutFaults(one, sketchAfter(sketch, way))
        expect(after.length, `${pointer} ${wayText(way)}`).toBeLessThan(before.length)
      }
    }
  })
})

describe('a rule of a written layout of inference', () => {
  it('can be broken, says so, and knows what would be legal', () => {
    const offered = { attention: ['1d/heads', '1d/batch'], mlp: ['1d'] }
    const layouts = fc.record({
      name: fc.constantFrom('attention', 'mlp', 'router'),
      layout: fc.constantFrom<string | null>('1d', '1d/heads', '3d'),
      offered: fc.constant(offered),
    })
    // What is left out is no longer read.
    const nothing = { name: 'mlp', layout: '1d', offered }
    expectEachToBeMended(layouts as fc.Arbitrary<ComponentRead>, componentRules, () => nothing)
    const ways = [
      { units: 1, tokens: 8 },
      { units: 4, tokens: 2 },
    ]
    const passes: fc.Arbitrary<PassRead> = fc.record({
      prompts: fc.constantFrom(null, 8),
      batchSequences: fc.constantFrom(undefined, 8, 9),
      microbatches: fc.constantFrom(undefined, 1, 3, 4),
      microbatchTokens: fc.constantFrom(undefined, 2, 5, 8),
      ways: fc.constant(ways),
    })
    expectEachToBeMended(passes, passRules, (read, way) => {
      const fields = way.map(({ pointer, value }) => [pointer.replace('/plan/', ''), value ?? undefined])
      return { ...read, ...Object.fromEntries(fields) }
    })
  })
})

describe('a rule of a framework that trains', () => {
  it('can be broken, and says so', () => {
    expectEachToBreak<Run>(trainingRuns, (run) =>
      trainers.map((name) => {
        const { chips, rules } = trainingLaunchers[name]
        const { mesh, layout, cut, plan } = rules
        return [[...mesh, ...layout, ...cut, ...plan], chips.includes(run.problem.cluster.chip.kind)]
      }),
    )
  })

  law('is kept where nothing is said', 200, [trainingRuns], (run) => {
    for (const name of trainers) {
      const { rules } = trainingLaunchers[name]
      const kept = keeps(rules.mesh, run) && keeps(rules.layout, run) && keeps(rules.cut, run)
      expect(kept && keeps(rules.plan, run)).toBe(runFaults(rules, run).length === 0)
    }
  })
})

describe('a rule of a framework that serves', () => {
  it('can be broken, and says so', () => {
    expectEachToBreak<Serving>(servings, (told) =>
      servers
        .filter((name) => servingLaunchers[name].chips.includes(told.setting.cluster.chip.kind))
        .map((name) => [servingLaunchers[name].rules(told), true]),
    )
  })
})

describe('a level of a search', () => {
  const rule = { broken: () => true, says: 'is broken', pointer: '/plan', reads: ['a', 'c'] }

  it('tests a rule as soon as everything that it reads is bound', () => {
    expect(byLevel([rule], [['a'], ['b', 'c'], ['d']])).toEqual([[], [rule], []])
  })

  it('is missing for a rule about a part that no level binds', () => {
    expect(() => byLevel([rule], [['a'], ['b']])).toThrow('No level binds c')
  })
})

it('what is told to be legal is a power of two before another size that is as near', () => {
  const pointer = '/plan/mesh/tensor'
  const told = (sizes: readonly number[], current: number) => {
    const nearest = sizes.map((value) => [{ pointer, value }])
    return nextTo({ pointer, detail: '', nearest }, current).nearest?.map(([change]) => change?.value)
  }
  expect(told([1, 2, 3, 4, 6, 8, 12, 24], 5)).toEqual([4, 8])
  expect(told([1, 2, 3, 4, 6, 8, 12, 24], 7)).toEqual([8, 4])
  expect(told([1, 2, 3, 6], 5)).toEqual([6, 2])
  expect(told([1, 3, 9], 5)).toEqual([3, 9])
  // Not from far off: half of what was asked for is nearer to it than a power of two.
  expect(told([1, 2, 25, 50], 100)).toEqual([50])
})
