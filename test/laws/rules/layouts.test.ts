/** Rules of written layouts and placements, each broken by a random one and mended as it says. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placements } from '../../../src/hardware/network/placement.ts'
import { axisPlacements } from '../../../src/plan/account/placement.ts'
import type { AxisPlacementSketch, PlanSketch } from '../../../src/plan-sketch.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import { scheduleRows } from '../../../src/recipe/schedule.ts'
import { layoutRules } from '../../../src/rules/layout.ts'
import { layoutFaults, sketchAfter } from '../../../src/rules/layout-faults.ts'
import type { LayoutRead } from '../../../src/rules/layout-rule.ts'
import { wayText } from '../../../src/rules/part-rule.ts'
import { type ComponentRead, componentRules, type PassRead, passRules } from '../../../src/rules/phase.ts'
import { type EntryRead, entryRules, type WholeRead, wholeRule } from '../../../src/rules/placement.ts'
import { type Axis, unitMesh } from '../../../src/sharding/axis.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { expectEachToBeMended, expectEachToBreak, meshes } from './broken.ts'

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
      stageLayers: fc.constantFrom([32], [16, 16], [16, 15], [15.5, 16.5], [8, 8, 8, 8]),
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
    const offered = { attention: ['1d/heads', 'copied/heads-batch'], mlp: ['1d'] }
    const layouts = fc.record({
      mesh: fc.constantFrom({ ...unitMesh, tensor: 8 }, { ...unitMesh, tensor: 4, tensor2: 2 }),
      name: fc.constantFrom('attention', 'mlp', 'router'),
      layout: fc.constantFrom<string | null>('1d', '1d/heads', 'copied/heads-batch', '3d'),
      offered: fc.constant(offered),
    })
    // What is left out is no longer read.
    const nothing = { mesh: unitMesh, name: 'mlp', layout: '1d', offered }
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
