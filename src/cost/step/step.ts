/**
 * The time of a step: the busiest stage's microbatches, one after another; what it waits for the other stages (formulas 9) or
 * fills with weight gradients (recipe/schedule-row.ts); the optimizer; and the overhead that every step has.
 */
import { type Schedule, splitBackward } from '../../recipe/schedule.ts'
import type { SplitBackward } from '../../recipe/schedule-row.ts'
import type { Seconds } from '../../units.ts'
import { type Bound, windowTime } from '../communication/traffic.ts'
import { ofStage } from '../compile/composed.ts'
import type { Mix } from '../memory/stage-memory.ts'
import type { ComputeNumbers, TrafficNumbers } from './microbatch.ts'
import { backwardCompute, onceTime, type Step, stageTime, weightGradientTime } from './stage-time.ts'
import type { StageGroup } from './stages.ts'

export function stepTime(step: Step, mix: Mix, bound: Bound): Seconds {
  const { model, traffic, layers } = step
  const { groups, schedule, microbatches } = layers
  const split = splitBackward(schedule, chipsOf(groups), microbatches)
  if (split) return splitStepTime(step, split, mix, bound)
  const { virtualStages } = schedule
  let longest = 0
  let busiest = 0
  let total = 0
  let stages = 0
  for (const group of groups) {
    const time = stageTime(step, group, mix, bound)
    const once = onceTime(step, group, mix, bound, time)
    longest = Math.max(longest, time)
    const inTurn = bound === 'lower' ? time : time * group.slowdown
    busiest = Math.max(busiest, (microbatches - 1 / virtualStages) * inTurn + once)
    total += time * group.stages
    stages += group.stages
  }
  return (
    busiest +
    total / virtualStages +
    holeTime(longest, stages, schedule, microbatches) +
    (bound === 'lower' ? 0 : fillTime(stages, traffic)) +
    layers.update +
    model.stepOverhead
  )
}

function chipsOf(groups: readonly StageGroup[]): number {
  let chips = 0
  for (const group of groups) chips += group.stages
  return chips
}

/** The same for schedules in which weight gradients fill the bubble. */
function splitStepTime(step: Step, split: SplitBackward, mix: Mix, bound: Bound): Seconds {
  const { model, compute, traffic, layers, scratch } = step
  const { groups, microbatches } = layers
  const { forwards, inputGradients, fills } = split
  const filling = fillingTime(compute, groups)
  let busiest = 0
  let waiting = 0
  let path = 0
  for (const group of groups) {
    const time = stageTime(step, group, mix, bound)
    const work = backwardCompute(model, compute, group, mix)
    const backward = windowTime(work, scratch.backward, bound)
    const filled = windowTime(work - filling, scratch.backward, bound)
    const inputs = windowTime(work - weightGradientTime(compute, group), scratch.backward, bound)
    const passed = forwards * (time - backward) + inputGradients * inputs
    const once = onceTime(step, group, mix, bound, time)
    busiest = Math.max(busiest, microbatches * time + once)
    waiting = Math.max(waiting, microbatches * time - fills * (backward - filled) - passed + once)
    path += group.stages * passed
  }
  return (
    Math.max(busiest, waiting + path) +
    (bound === 'lower' ? 0 : fillTime(chipsOf(groups), traffic)) +
    layers.update +
    model.stepOverhead
  )
}

/** How much of a bubble the weight gradients of a microbatch fill, whichever stage waits: as much as those of the shortest stage. */
export function fillingTime(compute: ComputeNumbers, groups: readonly StageGroup[]): Seconds {
  let least = Number.POSITIVE_INFINITY
  for (const group of groups) least = Math.min(least, group.layers * ofStage(compute, group).weightGradients)
  return least
}

/** Transfers through a pipeline of so many stages that are in none of its windows: those between the stages in the middle. */
export function fillTime(stages: number, { transferTime }: Pick<TrafficNumbers, 'transferTime'>): Seconds {
  return Math.max(0, stages - 2) * transferTime
}

/** Idle time of interleaving when the stages do not divide the microbatches. */
export function holeTime(
  longest: Seconds,
  stages: number,
  { virtualStages }: Schedule,
  microbatches: number,
): Seconds {
  if (virtualStages === 1 || microbatches % stages === 0) return 0
  return ((stages - (microbatches % stages)) * (virtualStages - 1) * longest) / virtualStages
}
