/**
 * Schedules that split the backward pass in two, compared with a simulation: every stage does its work in the order of
 * the schedule, each piece as soon as its inputs are there.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTraffic } from '../../../src/cost/communication/traffic.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../../src/cost/model.ts'
import type { ComputeNumbers, TrafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch } from '../../../src/cost/step/stage-time.ts'
import { mirroredLayers, stageGroups } from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { canRun, inFlight, type Schedule, scheduleRow } from '../../../src/recipe/schedule.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { freely } from '../../rounding.ts'

const runsDualPipe = (stages: number, microbatches: number) =>
  canRun(scheduleRow({ name: 'dualpipe' }), stages, microbatches)

const model = costModel(
  problem({
    model: 'llama-3-8b',
    chip: 'h100-sxm',
    chips: 16,
    batchTokens: 65_536,
    sequenceLength: 4096,
    assumptions: 'book',
  }),
)

/** Forward pass, input gradients, weight gradients. */
interface Times {
  readonly F: number
  readonly B: number
  readonly W: number
}

type Work = { readonly kind: keyof Times; readonly microbatch: number }

/** ZB-H1: forwards as 1F1B, and on stage s the weight gradients of a microbatch s backwards later. */
function zeroBubble(stage: number, stages: number, microbatches: number): readonly Work[] {
  const warmup = Math.min(microbatches, stages - 1 - stage)
  const work: Work[] = []
  const add = (kind: Work['kind'], microbatch: number) => {
    if (microbatch >= 0 && microbatch < microbatches) work.push({ kind, microbatch })
  }
  for (let k = 0; k < warmup; k++) add('F', k)
  for (let k = 0; k < microbatches; k++) {
    add('F', k + warmup)
    add('B', k)
    add('W', k - stage)
  }
  for (let k = Math.max(0, microbatches - stage); k < microbatches; k++) add('W', k)
  return work
}

function makespan(stages: readonly Times[], microbatches: number): number {
  const queues = stages.map((_, stage) => [...zeroBubble(stage, stages.length, microbatches)])
  const ends = new Map<string, number>()
  const free = new Array<number>(stages.length).fill(0)
  const before = { F: null, B: 'F', W: 'B' } as const
  while (queues.some((queue) => queue.length > 0)) {
    for (const [stage, queue] of queues.entries()) {
      const [next] = queue
      if (!next) continue
      const { kind, microbatch } = next
      const earlier = before[kind]
      const own = earlier ? ends.get(`${earlier} ${stage} ${microbatch}`) : 0
      const from = kind === 'F' ? stage - 1 : stage + 1
      const alone = kind === 'W' || from < 0 || from >= stages.length
      const other = alone ? own : ends.get(`${kind} ${from} ${microbatch}`)
      if (own === undefined || other === undefined) continue
      const end = Math.max(free[stage] ?? 0, own, other) + (stages[stage]?.[kind] ?? 0)
      ends.set(`${kind} ${stage} ${microbatch}`, end)
      free[stage] = end
      queue.shift()
    }
  }
  return Math.max(...free)
}

/** What the cost model says of stages without communication, by layers of each. */
function said(name: Schedule['name'], times: Times, layers: readonly number[], microbatches: number): number {
  const still = createTraffic(model.resources)
  const end = { forward: still, backward: still, gradients: still, weights: still }
  const traffic: TrafficNumbers = {
    forward: still,
    backward: () => still,
    gradients: still,
    weights: still,
    embedding: end,
    head: end,
    transfer: still,
    transferTime: 0,
    host: [],
  }
  const compute: ComputeNumbers = {
    forward: times.F,
    backward: [times.B + times.W],
    headForward: 0,
    headBackward: 0,
    weightGradients: times.W,
    headWeightGradients: 0,
  }
  const schedule: Schedule = { name, virtualStages: 1 }
  const groups = stageGroups(layers, schedule, microbatches)
  const mix = { policy: 0, other: 0, count: 0 }
  const scratch = createStepScratch(model.resources)
  const lying = { groups, schedule, microbatches, update: 0 }
  return stepTime({ model, compute, traffic, layers: lying, scratch }, mix, 'expected')
}

const alike = (stages: number, layers = 1) => new Array<number>(stages).fill(layers)

/** Weight gradients take no longer than forward pass or input gradients. */
const piecesOf = fc
  .record({ W: fc.integer({ min: 1, max: 5 }), F: fc.nat(4), B: fc.nat(6) })
  .map(({ W, F, B }): Times => ({ F: W + F, B: W + B, W }))

const shapes = fc.record({
  stages: fc.integer({ min: 2, max: 7 }),
  microbatches: fc.integer({ min: 1, max: 15 }),
})

describe('ZB-H1', () => {
  law(
    'takes the time that running it takes, where stages are alike',
    400,
    [shapes, piecesOf],
    ({ stages, microbatches }, times) => {
      const ran = makespan(
        alike(stages).map(() => times),
        microbatches,
      )
      expect(said('zb-h1', times, alike(stages), microbatches)).toBeCloseTo(ran, 9)
    },
  )

  law(
    'takes no longer than it says where stages differ, and no less than its longest stage works',
    500,
    [
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 1, max: 14 }),
    ],
    (layers, microbatches) => {
      const ran = makespan(
        layers.map((own) => ({ F: own, B: own, W: own })),
        microbatches,
      )
      const time = said('zb-h1', { F: 1, B: 1, W: 1 }, layers, microbatches)
      expect(ran).toBeLessThanOrEqual(time + 1e-9)
      expect(time).toBeGreaterThanOrEqual(microbatches * 3 * Math.max(...layers) - 1e-9)
    },
  )

  it("leaves a third of 1F1B's bubble, where the three pieces are alike", () => {
    const times = { F: 1, B: 1, W: 1 }
    const bubble = (name: Schedule['name']) => said(name, times, alike(8), 32) - 32 * 3
    expect(bubble('zb-h1')).toBeCloseTo(bubble('1f1b') / 3, 9)
    expect(bubble('zb-h1')).toBeCloseTo(7, 9)
  })

  it('holds no more microbatches on any stage than 1F1B on its first', () => {
    const schedule: Schedule = { name: 'zb-h1', virtualStages: 1 }
    for (let stage = 0; stage < 6; stage++) {
      for (const m of [1, 4, 6, 20]) {
        const work = zeroBubble(stage, 6, m)
        let held = 0
        const most = Math.max(
          ...work.map(({ kind }) => {
            held += kind === 'F' ? 1 : kind === 'W' ? -1 : 0
            return held
          }),
        )
        expect(inFlight(schedule, stage, 6, m)).toBe(most)
        expect(most).toBeLessThanOrEqual(inFlight({ name: '1f1b', virtualStages: 1 }, 0, 6, m))
      }
    }
  })
})

describe('DualPipe', () => {
  law(
    'waits (p/2 - 1)(F&B + B - 3W), B the whole backward pass, as its paper says',
    100,
    [fc.integer({ min: 1, max: 8 }), fc.nat(20), piecesOf],
    (half, more, { F, B, W }) => {
      const stages = 2 * half
      const microbatches = 2 * (stages + more)
      expect(runsDualPipe(stages, microbatches)).toBe(true)
      const bubble = said('dualpipe', { F, B, W }, alike(stages), microbatches) - microbatches * (F + B + W)
      expect(bubble).toBeCloseTo((half - 1) * (F + B + W + (B + W) - 3 * W), 9)
    },
  )

  it('needs an even number of stages, and of microbatches, at least two for each', () => {
    expect(runsDualPipe(4, 8)).toBe(true)
    expect(runsDualPipe(4, 6)).toBe(false)
    expect(runsDualPipe(4, 9)).toBe(false)
    expect(runsDualPipe(3, 12)).toBe(false)
  })

  it('has on chips i and p - 1 - i the mean of both stages, and all layers twice', () => {
    const layers = mirroredLayers(61, 16, 7) ?? []
    expect(layers.reduce((sum, own) => sum + own, 0)).toBe(61)
    const groups = stageGroups(layers, { name: 'dualpipe', virtualStages: 1 }, 64)
    expect(groups.reduce((sum, { stages }) => sum + stages, 0)).toBe(16)
    expect(groups.reduce((sum, { stages, held, layers: own }) => sum + stages * held * own, 0)).toBe(122)
    expect(groups.map(({ first, last }) => first && last)).toEqual(groups.map((_, at) => at === 0))
    expect(groups.every((group) => group.inFlight === 17)).toBe(true)
  })

  it("keeps twice the weights of 1F1B's stages, and optimizer states twice only where nothing shards them", () => {
    const bytes = (name: Schedule['name'], zeroStage: 0 | 1) => {
      const groups = stageGroups(alike(8, 4), { name, virtualStages: 1 }, 16)
      const [, inner] = groups
      const own = numbers(model, zeroStage)
      if (!inner) throw new Error('a pipeline of eight has inner stages')
      const nothingKept = { ...own, kept: own.kept.map(() => 0), live: own.live.map(() => 0) }
      return stageBytes(nothingKept, inner, { policy: 0, other: 0, count: 0 })
    }
    const { layer } = numbers(model, 0)
    expect(bytes('dualpipe', 0)).toBeCloseTo(2 * bytes('1f1b', 0), 0)
    expect(bytes('dualpipe', 1) - bytes('1f1b', 1)).toBeCloseTo(4 * (layer.weights + layer.gradients), 0)
  })
})

function numbers(of: CostModel, zeroStage: 0 | 1) {
  const scale = createScale()
  setMesh(scale, { ...unitMesh, pipeline: 8, data: 2 }, of.extents, freely)
  setBatch(scale, 2)
  return memoryNumbers(of, stageModel(of, zeroStage), scale)
}

describe('a backward pass', () => {
  it('of matrices alone is half weight gradients; attention has none', () => {
    const scale = createScale()
    setMesh(scale, unitMesh, model.extents, freely)
    setBatch(scale, 1)
    const { backward, weightGradients, forward, headBackward, headWeightGradients } = computeNumbers(
      model,
      scale,
    )
    expect(weightGradients).toBeCloseTo(forward, 12)
    expect(weightGradients).toBeCloseTo(Math.min(...backward) / 2, 12)
    expect(headWeightGradients).toBeCloseTo(headBackward / 2, 12)
    const attending = costModel({
      ...model.problem,
      assumptions: { ...model.problem.assumptions, attentionFlops: 'full' },
    })
    const longer = computeNumbers(attending, scale)
    expect(longer.weightGradients).toBeCloseTo(weightGradients, 12)
    expect(Math.min(...longer.backward)).toBeGreaterThan(Math.min(...backward))
  })
})
