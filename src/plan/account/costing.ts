/** Costs one candidate again, keeping what the search discards: the parts of its time, and the stage that determines its step. */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { routedOverlap } from '../../cost/communication/traffic.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import { createScale, type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { memoryNumbers } from '../../cost/memory/memory-numbers.ts'
import type { CostModel } from '../../cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../cost/step/microbatch.ts'
import { createStepScratch, onceTime, type Step, stageTime } from '../../cost/step/stage-time.ts'
import type { Layers, StageGroup } from '../../cost/step/stages.ts'
import { fillTime, holeTime, stepTime } from '../../cost/step/step.ts'
import { updateTimes } from '../../cost/step/update-time.ts'
import { scheduleRow } from '../../recipe/schedule.ts'
import type { Candidate } from '../../search/layouts/candidate.ts'
import type { Seconds } from '../../units.ts'

export interface Costing extends Step {
  readonly candidate: Candidate
  readonly stage: StageModel
  readonly scale: Scale
  readonly costs: NetworkCosts
  readonly memory: MemoryNumbers
  /** The stage that determines the step, and how long it waits for the others. */
  readonly longest: StageGroup
  readonly bubbleTime: Seconds
  readonly stepTime: Seconds
  readonly lowerBound: Seconds
  readonly upperBound: Seconds
}

/** The step of a candidate, and what it was costed with. */
function posedStep(model: CostModel, candidate: Candidate) {
  const { mesh, zeroStage, sequences, groups, schedule, microbatches, placement } = candidate
  const { assumptions } = model.problem
  const scale = createScale()
  setMesh(scale, mesh, model.extents, assumptions)
  setBatch(scale, sequences)
  const stage = model.stages[zeroStage]
  if (!stage || groups.length === 0)
    throw new RangeError('A candidate has a ZeRO stage and at least one pipeline stage')
  const costs = model.prices.placed(placement, mesh)
  const compute = computeNumbers(model, scale)
  const traffic = trafficNumbers(
    model,
    stage,
    scale,
    costs,
    routedOverlap(scheduleRow(schedule), microbatches, assumptions),
  )
  const layers: Layers = { groups, schedule, microbatches, update: updateTimes(model, stage, scale)(groups) }
  const step: Step = { model, compute, traffic, layers, scratch: createStepScratch(model.resources) }
  return { step, stage, scale, costs }
}

/** Its time alone. */
export function stepSeconds(model: CostModel, candidate: Candidate): Seconds {
  return stepTime(posedStep(model, candidate).step, candidate.mix, 'expected')
}

export function costing(model: CostModel, candidate: Candidate): Costing {
  const { groups, schedule, microbatches, mix } = candidate
  const { step, stage, scale, costs } = posedStep(model, candidate)
  const { traffic, layers } = step
  const times = groups.map((group) => {
    const own = stageTime(step, group, mix, 'expected')
    return { group, own, once: onceTime(step, group, mix, 'expected', own) }
  })
  const stages = candidate.stageLayers.length
  const split = scheduleRow(schedule).split !== null
  const repeats = split ? microbatches : microbatches - 1 / schedule.virtualStages
  const busyTime = ({ group, own, once }: (typeof times)[number]) => repeats * own * group.slowdown + once
  const waited = times.reduce((most, time) => (busyTime(time) > busyTime(most) ? time : most))
  const total = times.reduce((sum, { group, own }) => sum + group.stages * own, 0)
  const holes = holeTime(Math.max(...times.map(({ own }) => own)), stages, schedule, microbatches)
  const fill = fillTime(stages, traffic)
  const expected = stepTime(step, mix, 'expected')
  const busy = microbatches * waited.own + waited.once
  const bubble = split
    ? Math.max(0, expected - fill - layers.update - model.stepOverhead - busy)
    : (total - waited.own) / schedule.virtualStages +
      holes +
      repeats * waited.own * (waited.group.slowdown - 1)
  return {
    ...step,
    candidate,
    stage,
    scale,
    costs,
    memory: memoryNumbers(model, stage, scale),
    longest: waited.group,
    bubbleTime: bubble,
    stepTime: expected,
    lowerBound: stepTime(step, mix, 'lower'),
    upperBound: stepTime(step, mix, 'upper'),
  }
}
