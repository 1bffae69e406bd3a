/** What it takes to add one: a row. Members that nobody has heard of are put into the tables, and come out in answers. */
import { describe, expect, it, vi } from 'vitest'
import { trainWorkload } from '../../api/schemas/train-workload.ts'
import { optimize } from '../../src/optimize.ts'
import type { ScheduleRow } from '../../src/recipe/schedule-row.ts'
import { solvers } from '../inference-problem.ts'
import { problem } from '../problem.ts'

vi.mock('../../src/recipe/schedules.ts', async (original) => {
  const { schedules } = await original<typeof import('../../src/recipe/schedules.ts')>()
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
    needs: {
      stages: () => true,
      microbatches: (microbatches, stages) => microbatches >= 2 * stages,
      says: 'two microbatches a stage',
    },
    worthwhile: () => true,
  }
  return { schedules: [...schedules, pendulum] }
})

const asked = problem({
  model: {
    ...{ layers: 16, dModel: 1024, dFf: 4096, heads: 16, kvHeads: 16, headDim: 64, vocab: 32_000 },
    ...{ gatedMlp: true, tiedEmbeddings: false },
  },
  chip: 'h100-sxm',
  chips: 8,
  batchTokens: 65_536,
  sequenceLength: 1024,
  constraints: { pipeline: 4 },
  assumptions: { basis: 'calibrated', frameworks: [] },
})

/** With the optimizer, schedules and policies of a request, which names them as it does any other. */
function best(workload: Readonly<Record<string, unknown>>) {
  const { schedule, optimizer, rematerialization } = trainWorkload.parse({
    mode: 'train',
    batchTokens: 65_536,
    sequenceLength: 1024,
    ...workload,
  })
  const { workload: plain } = asked
  const own = {
    ...{ ...plain, optimizer },
    ...(schedule ? { schedules: schedule } : {}),
    ...(rematerialization ? { rematerialization } : {}),
  }
  const [plan] = optimize({ ...asked, workload: own }, solvers).plans
  if (!plan) throw new RangeError('There is no plan')
  return plan
}

describe('a made-up schedule', () => {
  it('is chosen where it is faster, and no framework is said to launch it', () => {
    const plan = best({ schedule: ['1f1b', 'pendulum'] })
    expect(plan.pipelineSchedule).toBe('pendulum')
    expect(plan.stepTimeSeconds).toBeLessThan(best({ schedule: ['1f1b'] }).stepTimeSeconds)
    expect(plan.explanation.join(' ')).toContain('under pendulum')
    expect(plan.launch.megatron).toMatchObject({
      unsupported: expect.arrayContaining([expect.stringContaining('pendulum')]),
    })
  })
})
