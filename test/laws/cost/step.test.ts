import fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { Bound } from '../../../src/cost/communication/traffic.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { ComputeNumbers, TrafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch } from '../../../src/cost/step/stage-time.ts'
import type { Layers } from '../../../src/cost/step/stages.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import type { Schedule } from '../../../src/recipe/schedule.ts'
import { canRun, scheduleRow } from '../../../src/recipe/schedule.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'

const model = costModel(
  problem({ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 65_536, sequenceLength: 4096 }),
)
const scratch = createStepScratch(model.resources)

/** Exposed, total, and the two tiers twice: what may overlap of their time, and all of it. */
const width = 2 + 2 * model.resources

const names = [
  'forward',
  'backward',
  'gradients',
  'weights',
  'embedding.forward',
  'embedding.backward',
  'embedding.gradients',
  'embedding.weights',
  'head.forward',
  'head.backward',
  'head.gradients',
  'head.weights',
  'transfer',
] as const

const times = fc.constantFrom(0, 0, 1, 2, 5, 20)
const traffic = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.array(times, { minLength: width, maxLength: width })])),
) as fc.Arbitrary<Record<(typeof names)[number], number[]>>

const steps = fc.record({
  traffic,
  compute: fc.record({ forward: times, backward: times, headForward: times, headBackward: times }),
  stages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  microbatches: fc.constantFrom(1, 2, 3, 4, 8),
  virtualStages: fc.constantFrom(1, 1, 2),
  splits: fc.boolean(),
})

type Drawn = typeof steps extends fc.Arbitrary<infer Step> ? Step : never

function splitSchedule(stages: number, microbatches: number): Schedule {
  return {
    name: canRun(scheduleRow({ name: 'dualpipe' }), stages, microbatches) ? 'dualpipe' : 'zb-h1',
    virtualStages: 1,
  }
}

function time(
  { traffic: parts, compute: work, stages, microbatches, virtualStages, splits }: Drawn,
  bound: Bound,
): number {
  const vector = (name: (typeof names)[number]) => [...parts[name]]
  const end = (name: 'embedding' | 'head') => ({
    forward: vector(`${name}.forward`),
    backward: vector(`${name}.backward`),
    gradients: vector(`${name}.gradients`),
    weights: vector(`${name}.weights`),
  })
  const moved: TrafficNumbers = {
    forward: vector('forward'),
    backward: () => vector('backward'),
    gradients: vector('gradients'),
    weights: vector('weights'),
    embedding: end('embedding'),
    head: end('head'),
    transfer: vector('transfer'),
    transferTime: parts.transfer[1] ?? 0,
    host: [],
  }
  const compute: ComputeNumbers = {
    ...work,
    backward: [work.backward],
    weightGradients: work.backward / 2,
    headWeightGradients: work.headBackward / 2,
  }
  const whole: Schedule = { name: virtualStages > 1 ? 'interleaved-1f1b' : '1f1b', virtualStages }
  const pipelined: Schedule = splits ? splitSchedule(stages.length, microbatches) : whole
  const schedule: Schedule = stages.length > 1 ? pipelined : { name: 'none', virtualStages: 1 }
  const layers: Layers = {
    groups: stageGroups(stages, schedule, microbatches),
    schedule,
    microbatches,
    update: 0,
  }
  return stepTime(
    { model, compute, traffic: moved, layers, scratch },
    { policy: 0, other: 0, count: 0 },
    bound,
  )
}

const bounds: readonly Bound[] = ['lower', 'expected', 'upper']

function expectNoShorter(slower: Drawn, step: Drawn): void {
  for (const bound of bounds) {
    expect(time(slower, bound)).toBeGreaterThanOrEqual(time(step, bound) * (1 - 1e-12))
  }
}

describe('a step', () => {
  law(
    'is no shorter where any part of its communication takes longer',
    2000,
    [steps, fc.constantFrom(...names), fc.nat(width - 1), fc.constantFrom(0.5, 3, 30)],
    (step, name, at, longer) => {
      const raised = step.traffic[name].map((value, index) => (index === at ? value + longer : value))
      const slower = { ...step, traffic: { ...step.traffic, [name]: raised } }
      expectNoShorter(slower, step)
    },
  )

  law(
    'is no shorter where any part of its work takes longer',
    2000,
    [
      steps,
      fc.constantFrom('forward', 'backward', 'headForward', 'headBackward'),
      fc.constantFrom(0.5, 3, 30),
    ],
    (step, part, longer) => {
      const slower = { ...step, compute: { ...step.compute, [part]: step.compute[part] + longer } }
      expectNoShorter(slower, step)
    },
  )

  law(
    'of one stage without communication is its work, m times over, and the overheads',
    100,
    [steps],
    (drawn) => {
      const still = Object.fromEntries(names.map((name) => [name, new Array<number>(width).fill(0)]))
      const step = { ...drawn, stages: [3], traffic: still as Drawn['traffic'] }
      const { forward, backward, headForward, headBackward } = step.compute
      const { layerOverheadSeconds } = model.problem.assumptions
      const once = 3 * (forward + backward + 2 * layerOverheadSeconds) + headForward + headBackward
      for (const bound of bounds) {
        expect(time(step, bound)).toBeCloseTo(step.microbatches * once + model.stepOverhead, 9)
      }
    },
  )
})
