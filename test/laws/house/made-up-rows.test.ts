/** Adding a member takes one row: made-up members are put into the tables, and appear in answers. */

import { describe, expect, it, vi } from 'vitest'
import { assumptionsRequest } from '../../../api/schemas/given/assumptions.ts'
import { trainWorkload } from '../../../api/schemas/workload/train-workload.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { type RunRules, runFaults } from '../../../src/launch/run/rules.ts'
import type { Run } from '../../../src/launch/run/run.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { OptimizerRow } from '../../../src/recipe/optimizer-row.ts'
import type { PolicyRow } from '../../../src/recipe/policy-row.ts'
import type { ScheduleRow } from '../../../src/recipe/schedule-row.ts'
import type { MeshRule } from '../../../src/rules/mesh-question.ts'
import { resized } from '../../../src/rules/mesh-ways.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { problem } from '../../problem.ts'

vi.mock('../../../src/recipe/schedules.ts', async (original) => {
  const { schedules } = await original<typeof import('../../../src/recipe/schedules.ts')>()
  // Every stage holds two microbatches at most, and of the bubble but a tenth is left.
  const pendulum: ScheduleRow = {
    name: 'pendulum',
    pipelined: true,
    virtualStages: [1, 1],
    stagesPerChip: 1,
    inFlight: (_stage, _stages, microbatches) => Math.min(2, microbatches),
    split: () => ({ forwards: 0.1, inputGradients: 0.1, fills: 0 }),
    fillsOfBubble: null,
    hidesRouted: false,
    mayHideRouted: false,
    needs: {
      stages: () => true,
      microbatches: (microbatches, stages) => microbatches >= 2 * stages,
      says: 'two microbatches a stage',
    },
    worthwhile: () => true,
  }
  return { schedules: [...schedules, pendulum] }
})

vi.mock('../../../src/recipe/optimizers.ts', async (original) => {
  const { optimizers } = await original<typeof import('../../../src/recipe/optimizers.ts')>()
  const thrift: OptimizerRow = {
    name: 'thrift',
    moments: { matrix: 1, table: 3, vector: 3 },
    momentBytes: 0.25,
    factored: ['matrix'],
    matrixFlops: (m, n) => 1e5 * m * n,
    caution: 'thrift is not charged for what it spares',
    smaller: 'one moment of two bits',
  }
  return { optimizers: [...optimizers, thrift] }
})

vi.mock('../../../src/recipe/policies.ts', async (original) => {
  const table = await original<typeof import('../../../src/recipe/policies.ts')>()
  const queriesAlone: PolicyRow = { name: 'queries_alone', attention: ['Q'], mlp: [], stream: 1 }
  return { ...table, policies: [...table.policies, queriesAlone] }
})

vi.mock('../../../src/rules/model.ts', async (original) => {
  const table = await original<typeof import('../../../src/rules/model.ts')>()
  // Chips on this floor come in threes, or alone.
  const threes: MeshRule = {
    reads: ['tensor'],
    broken: ({ mesh }) => mesh.tensor % 2 === 0,
    says: ({ mesh }) => `${mesh.tensor} chips of tensor do not come in threes`,
    pointer: '/plan/mesh/tensor',
    nearest: ({ mesh }) => resized(mesh, 'tensor', [1]),
  }
  return { ...table, trainedMeshRules: [...table.trainedMeshRules, threes] }
})

vi.mock('../../../src/launch/framework.ts', async (original) => {
  const table = await original<typeof import('../../../src/launch/framework.ts')>()
  const named = { trainers: [...table.trainers, 'loom'], frameworks: [...table.frameworks, 'loom'] }
  return { ...table, ...named }
})

vi.mock('../../../src/launch/trainers.ts', async (original) => {
  const { trainingLaunchers } = await original<typeof import('../../../src/launch/trainers.ts')>()
  const start = { version: '1', command: 'loom', files: [] }
  const rules: RunRules = {
    ...{ layout: [], cut: [], plan: [] },
    mesh: [{ broken: ({ mesh }) => mesh.fsdp > 1, says: 'a loom has one warp' }],
  }
  const launch = (run: Run) => {
    const unsupported = runFaults(rules, run)
    return unsupported.length > 0 ? { unsupported } : { flags: [`--warp=${run.mesh.data}`], start, notes: [] }
  }
  const loom = { chips: ['gpu'], launch, mixes: ['none', 'full'], rules }
  return { trainingLaunchers: { ...trainingLaunchers, loom } }
})

const asked = problem({
  model: {
    ...{ layers: 16, dModel: 1024, dFf: 4096, heads: 16, kvHeads: 16, headDim: 64, vocab: 32_000 },
    ...{ gatedMlp: true, tiedEmbeddings: false },
  },
  chip: 'h100-sxm',
  chips: 4,
  batchTokens: 32_768,
  sequenceLength: 1024,
  constraints: { pipeline: 2 },
  assumptions: { basis: 'calibrated', frameworks: [] },
})

/** With the optimizer, schedules and policies of a request, which names them as it does any other. */
function answer(workload: Readonly<Record<string, unknown>>, memoryBudget = asked.memoryBudget) {
  const { schedule, optimizer, rematerialization } = trainWorkload.parse({
    mode: 'train',
    batchTokens: 32_768,
    sequenceLength: 1024,
    ...workload,
  })
  const own = {
    ...{ ...asked.workload, optimizer },
    ...(schedule ? { schedules: schedule } : {}),
    ...(rematerialization ? { rematerialization } : {}),
  }
  return optimize({ ...asked, memoryBudget, workload: own }, solver)
}

describe('a made-up rule', () => {
  const constraints = { pipeline: 1, tensor: 2 }

  it('leaves nothing to the search of what it forbids', () => {
    const { plans, search } = optimize({ ...asked, constraints }, solver)
    expect(plans).toEqual([])
    expect(search.infeasible.divisibility).toBeGreaterThan(0)
  })

  it('says why to whoever writes such a plan, and what is legal', () => {
    const mesh = { ...unitMesh, tensor: 2, data: 2 }
    expect(evaluate(asked, { mesh }, solver)).toEqual({
      illegal: [
        {
          pointer: '/plan/mesh/tensor',
          detail: '2 chips of tensor do not come in threes',
          nearest: [
            [
              { pointer: '/plan/mesh/tensor', value: 1 },
              { pointer: '/plan/mesh/data', value: 4 },
            ],
          ],
        },
      ],
    })
  })
})

describe('a made-up framework', () => {
  it('is asked for by its name, and has flags or a reason beside those of the others', () => {
    const named = assumptionsRequest.parse({ basis: 'calibrated', frameworks: ['loom'] })
    const frameworks = typeof named === 'string' ? [] : (named.frameworks ?? [])
    const own = { ...asked, assumptions: { ...asked.assumptions, frameworks } }
    const plan = bestOf(optimize(own, solver))
    expect(plan.mesh.fsdp).toBe(1)
    expect(plan.launch).toMatchObject({ loom: [`--warp=${plan.mesh.data}`] })
    const other = bestOf(optimize({ ...asked, constraints: { fsdp: 4 } }, solver))
    expect(other.launch).toMatchObject({ loom: { unsupported: ['a loom has one warp'] } })
  })
})

function bestOf({ plans: [plan] }: ReturnType<typeof optimize>): Plan {
  if (!plan) throw new RangeError('There is no plan')
  return plan
}

describe('a made-up schedule', () => {
  it('is chosen where it is faster, and no framework is said to launch it', () => {
    const plan = bestOf(answer({ schedule: ['1f1b', 'pendulum'] }))
    expect(plan.pipelineSchedule).toBe('pendulum')
    expect(plan.stepTimeSeconds).toBeLessThan(bestOf(answer({ schedule: ['1f1b'] })).stepTimeSeconds)
    expect(plan.explanation.join(' ')).toContain('under pendulum')
    expect(plan.launch.megatron).toMatchObject({
      unsupported: expect.arrayContaining([expect.stringContaining('pendulum')]),
    })
  })
})

describe('a made-up optimizer', () => {
  it('holds what its row says, takes the time that it says, and is told of', () => {
    const [own, adam] = [answer({ optimizer: 'thrift' }), answer({})]
    const [plan, usual] = [bestOf(own), bestOf(adam)]
    expect(plan.memoryBytes.optimizer).toBeLessThan(usual.memoryBytes.optimizer)
    expect(plan.stepTimeSeconds).toBeGreaterThan(usual.stepTimeSeconds)
    expect(own.warnings).toContain('thrift is not charged for what it spares')
  })

  it('is suggested where nothing else fits', () => {
    const short = answer({ optimizer: 'thrift' }, 1).infeasible?.nearest?.shortBytes ?? 0
    const { infeasible } = answer({}, (1 + short) * (1 + 1e-9))
    const suggested = infeasible?.suggestions.filter(({ pointer }) => pointer === '/workload/optimizer')
    expect(suggested?.map(({ value }) => value)).toContain('thrift')
  })
})

describe('a made-up policy', () => {
  it('keeps more than one that keeps less, and is quicker for it', () => {
    const [own, full] = ['queries_alone', 'full'].map((name) => bestOf(answer({ rematerialization: [name] })))
    expect(own?.rematerialization).toEqual([{ policy: 'queries_alone', layers: 16 }])
    expect(own?.memoryBytes.activations).toBeGreaterThan(full?.memoryBytes.activations ?? 0)
    expect(own?.stepTimeSeconds).toBeLessThan(full?.stepTimeSeconds ?? 0)
  })
})
