/** Rules of frameworks, each broken by a random run or deployment. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { present } from '../../../src/fields.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { onePass } from '../../../src/inference/layout/served.ts'
import { servers, trainers } from '../../../src/launch/framework.ts'
import { modulesOf } from '../../../src/launch/megatron/recomputation.ts'
import { runFaults } from '../../../src/launch/run/rules.ts'
import { cutRun, type Run } from '../../../src/launch/run/run.ts'
import type { Drafts } from '../../../src/launch/server/drafts.ts'
import { type Serving, serving } from '../../../src/launch/server/serving.ts'
import { servingLaunchers } from '../../../src/launch/serving.ts'
import { trainingLaunchers } from '../../../src/launch/trainers.ts'
import { byPart } from '../../../src/model/weight-parts.ts'
import { storedPrecision } from '../../../src/precision/stored.ts'
import type { Problem } from '../../../src/problem.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import { scheduleRows } from '../../../src/recipe/schedule.ts'
import { faults, keeps } from '../../../src/rules/rule.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { fieldsNamed } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { law } from '../../law.ts'
import { expectEachToBreak, meshes, often, settings } from './broken.ts'

/** Those of any framework, and Megatron-LM's modules by their own names. */
const policies = [...policyNames('counted'), ...(Object.keys(modulesOf) as (keyof typeof modulesOf)[])]

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
    recomputed: fc.tuple(fc.constantFrom(...policies), often('full', ...policies), often(0, 2, 0.5)),
    placement: fc.nat(),
  })
  .map(({ asked, mesh, schedule, virtualStages, uneven, recomputed, placement, ...layout }) => {
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
    const [policy, other, count] = recomputed
    return {
      ...cutRun(asked, cut as Parameters<typeof cutRun>[1]),
      placement: places[placement % places.length] as Run['placement'],
      recomputation: { policy, other: count === 0 ? policy : other, count },
    }
  })

/** With weights as a release has them, which is stored by that method, and says what its caches are where it says that. */
function storedAs(setting: Problem, method: string, kvCache: ElementType | undefined): Problem {
  const { precision, cluster } = setting
  const { weights } = precision
  const quantized = {
    ...{ method, weights, bits: 8, kept: 'bf16' as const, keptShares: byPart(() => 0) },
    ...present({ kvCache }),
  }
  const checkpoint = { name: 'a/release', weights, quantized }
  const stored = storedPrecision(checkpoint, cluster.chip)
  return {
    ...setting,
    checkpoints: [checkpoint],
    precision: { ...precision, ...stored, kvCache: precision.kvCache },
  }
}

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
    name: often('m', 'gpt-oss-20b', 'mixtral-8x7b'),
    sequences: fc.constantFrom(1, 8, 64, 65_536),
    halved: often(false, true),
    total: often(1e9, 79.9e9, 90e9),
    cached: often(0, 79.9e9),
    longestPositions: often(8192, 2048),
    drafts: often<Drafts | null>(
      null,
      { tokens: 2, by: 'layers', name: null, release: null },
      { tokens: 3, by: 'model', name: 'small', release: null },
    ),
    blocks: often({}, { weightBlock: { rows: 128, columns: 128 } }),
    storedBy: often<string | null>(null, 'bitsandbytes', 'fbgemm_fp8', 'modelopt'),
    storedCaches: often<ElementType | undefined>(undefined, 'fp8'),
  })
  .map(
    ({
      setting: drawn,
      name: called,
      mesh,
      mode,
      sequences,
      halved,
      total,
      cached,
      blocks,
      storedBy,
      storedCaches,
      longestPositions,
      drafts,
      ...parts
    }) => {
      const { attention, mlp, experts } = parts
      const model = { ...drawn.model, name: called }
      const plain = { ...drawn, model, precision: { ...drawn.precision, ...blocks } }
      const setting = storedBy ? storedAs(plain, storedBy, storedCaches) : plain
      const named = { attention, mlp, ...(setting.model.experts ? { experts } : {}) }
      const layouts = Object.entries(named).map(([name, layout]) => {
        const fields = fieldsNamed(layout)
        if (!fields) throw new RangeError(`no layout is called ${layout}`)
        return { ...fields, component: { name, arrays: {}, einsums: [] } }
      })
      const pass = onePass(sequences, halved, Math.ceil(setting.model.layers / mesh.pipeline))
      const none = { parameters: 0, gradients: 0, optimizer: 0, activations: 0, kvCache: 0, workspace: 0 }
      const memory = { ...none, kvCache: cached, budget: 80e9, total, reserve: 0, host: 0, stage: 0 }
      return serving(setting, { mesh, layouts, pass }, mode, {
        contextLength: 4096,
        longestPositions,
        memory,
        drafts,
      })
    },
  )

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

  law(
    'shares out whole positions',
    200,
    [trainingRuns, fc.integer({ min: 1, max: 5000 })],
    (run, context) => {
      const shared = { ...run, mesh: { ...unitMesh, context } }
      for (const { rules } of Object.values(trainingLaunchers)) {
        if (run.sequenceLength % context !== 0) expect(keeps(rules.mesh, shared)).toBe(false)
      }
    },
  )

  law('mixes no other policies than it says', 200, [trainingRuns], (run) => {
    const { policy, other, count } = run.recomputation
    for (const { mixes, rules } of Object.values(trainingLaunchers)) {
      const beside = [policy, other].every((name) => mixes.some((own) => own === name))
      if (count > 0 && !beside) expect(keeps(rules.plan, run)).toBe(false)
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

  law('reads how many sequences are together only where its framework says so', 200, [servings], (told) => {
    const alone = { ...told, sequences: 1, unitSequences: 1 }
    for (const name of servers) {
      const { rules, countsSequences } = servingLaunchers[name]
      if (!countsSequences) expect(faults(rules(told), told)).toEqual(faults(rules(alone), alone))
    }
  })
})
