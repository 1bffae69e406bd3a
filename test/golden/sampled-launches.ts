/** Plans of all kinds on small clusters, and the launch of each: the same ones every time. */

import fc from 'fast-check'
import { costModel } from '../../src/cost/compiled-model.ts'
import type { CostModel } from '../../src/cost/model.ts'
import { divisorsOf } from '../../src/hardware/cluster/divisors.ts'
import { placements } from '../../src/hardware/network/placement.ts'
import type { Problem } from '../../src/problem.ts'
import { policyNames } from '../../src/recipe/policy.ts'
import type { Schedule } from '../../src/recipe/schedule.ts'
import { enumerateMeshes } from '../../src/search/meshes/meshes.ts'
import { type Mesh, replicasOf } from '../../src/sharding/axis.ts'
import type { ZeroStage } from '../../src/sharding/states.ts'
import { problem } from '../problem.ts'
import {
  type HandMade,
  type Launched,
  launchedPlan,
  launchedPrecision as precision,
} from './launched-plan.ts'

const sequenceLength = 2048

const clusters = [
  ...[1, 2, 8, 16, 24, 32, 48, 64].map((chips) => ({ chip: 'h100-sxm', chips })),
  ...[1, 2, 3].map((slices) => ({ chip: 'tpu-v5e', topology: [4, 4], slices })),
  { chip: 'tpu-v5p', topology: [2, 2, 4] },
  ...[
    [2, 2, 1],
    [2, 2, 4],
  ].map((topology) => ({ chip: 'tpu-7x', topology })),
]

const policies: readonly NonNullable<HandMade['policies']>[] = [
  ['none'],
  ['full'],
  ['selective'],
  ['minimal'],
  ['none', 'full', 1],
  ['none', 'full', 2],
  ['none', 'full', 8],
]

interface Asked {
  readonly model: CostModel
  readonly asked: Problem
  readonly plan: HandMade
}

/**
 * Llama 3 has 8 key-value heads, GPT-3 and Llama 2 as many as heads; 32, 40 and 80 layers. Mixtral has experts in every
 * layer, Llama 4 Maverick in every second one, DeepSeek-V2 Lite in all but the first.
 */
const models = [
  ...['llama-3-8b', 'llama-3-70b', 'gpt-3-6.7b', 'llama-2-13b'],
  ...['mixtral-8x7b', 'llama-4-maverick', 'deepseek-v2-lite'],
]

const compiled = clusters.flatMap((cluster) =>
  models.map((model) =>
    costModel(
      problem({
        ...cluster,
        rematerialization: policyNames('counted'),
        model,
        batchTokens: 1,
        sequenceLength,
        precision,
      }),
    ),
  ),
)

/** A plan as the search would try it, but for its stages: what is left over of the layers is missing on the first. */
const arbitraryPlan: fc.Arbitrary<Asked> = fc
  .record({
    model: fc.constantFrom(...compiled),
    sequences: fc.integer({ min: 1, max: 200 }),
    pick: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ model, sequences, pick }) => {
    const batchTokens = sequences * sequenceLength
    const asked: Problem = {
      ...model.problem,
      workload: { ...model.problem.workload, batchTokens },
    }
    const from = <Item>(items: readonly Item[], at: number): Item => {
      const item = items[(pick[at] ?? 0) % items.length]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    }
    const meshes = enumerateMeshes(asked).allowed.filter(
      (mesh) => mesh.tensor2 === 1 && placements(asked.cluster.network, mesh).length > 0,
    )
    if (meshes.length === 0) return null
    const mesh = from(meshes, 0)
    const { layers } = asked.model
    const replicas = replicasOf(mesh)
    const each = Math.ceil(sequences / replicas)
    const microbatches = from(divisorsOf(each), 1)
    const most = Math.ceil(layers / mesh.pipeline)
    const plan: HandMade = {
      mesh,
      zeroStage: from(zeroStages(mesh), 3),
      microbatches,
      sequences: (each / microbatches) * replicas,
      schedule: from(schedules(mesh, microbatches, layers), 2),
      stageLayers: Array.from({ length: mesh.pipeline }, (_, stage) =>
        stage < most * mesh.pipeline - layers ? most - 1 : most,
      ),
      policies: from(policies, 4),
      placement: (all) => from(all, 5),
    }
    return { model: { ...model, problem: asked }, asked, plan }
  })
  .filter((asked) => asked !== null)

function zeroStages(mesh: Mesh): readonly ZeroStage[] {
  if (mesh.fsdp > 1) return [3]
  if (mesh.context * mesh.expert > 1) return [0, 1, 2, 3]
  return mesh.data > 1 ? [0, 1, 2] : [0]
}

function schedules({ pipeline }: Mesh, microbatches: number, layers: number): readonly Schedule[] {
  if (pipeline === 1) return [{ name: 'none', virtualStages: 1 }]
  const most = microbatches % pipeline === 0 ? Math.min(6, Math.floor(layers / pipeline)) : 1
  const interleaved = Array.from({ length: most - 1 }, (_, more) => more + 2)
  return [
    { name: 'gpipe', virtualStages: 1 },
    { name: '1f1b', virtualStages: 1 },
    ...interleaved.map((virtualStages) => ({ name: 'interleaved-1f1b', virtualStages }) as const),
  ]
}

const launches = fc
  .sample(arbitraryPlan, { seed: 7, numRuns: 4000 })
  .map((asked) => ({ ...asked, answer: launchedPlan(asked.model, asked.plan) }))

/** The plans that a framework can run, with what it gets. */
export function launchesOf<Flags>(read: (answer: Launched) => Flags | undefined) {
  return launches.flatMap(({ model, asked, plan, answer }) => {
    const flags = read(answer)
    return flags === undefined ? [] : [{ model, asked, plan, flags }]
  })
}
