import type { Seconds } from '../units.ts'
import { blend, ofStage } from './composed.ts'
import { type StateTerms, sumTerms } from './memory.ts'
import type { ComputeNumbers, TrafficNumbers } from './microbatch.ts'
import { type CostModel, type StageModel, stageModel } from './model.ts'
import { stageOverhead } from './overhead.ts'
import type { Mix } from './remat.ts'
import { type SplitBackward, splitBackward, splitsBackward } from './split-backward.ts'
import type { Schedule, StageGroup } from './stages.ts'
import type { Scale } from './term.ts'
import { addHostTransfer, addScaled, type Bound, createTraffic, type Traffic, windowTime } from './traffic.ts'

/** What the candidates of a mesh share, and the sums that windows are added up in. */
export interface StepScratch {
  readonly forward: Traffic
  readonly backward: Traffic
}

export function createStepScratch(resources: number): StepScratch {
  return { forward: createTraffic(resources), backward: createTraffic(resources) }
}

export interface Layers {
  readonly groups: readonly StageGroup[]
  readonly schedule: Schedule
  readonly microbatches: number
  /** Time of the optimizer's update on the fullest stage. */
  readonly update: Seconds
}

export function stepTime(
  model: CostModel,
  compute: ComputeNumbers,
  traffic: TrafficNumbers,
  layers: Layers,
  mix: Mix,
  bound: Bound,
  scratch: StepScratch,
): Seconds {
  const { groups, schedule, microbatches } = layers
  if (splitsBackward(schedule)) {
    const split = splitBackward(schedule, chipsOf(groups), microbatches)
    return splitStepTime(model, compute, traffic, layers, split, mix, bound, scratch)
  }
  const { virtualStages } = schedule
  let longest = 0
  let busiest = 0
  let total = 0
  let stages = 0
  for (const group of groups) {
    const time = stageTime(model, compute, traffic, group, layers, mix, bound, scratch)
    const once = onceTime(model, compute, traffic, group, mix, bound, scratch, time)
    longest = Math.max(longest, time)
    busiest = Math.max(busiest, (microbatches - 1 / virtualStages) * time + once)
    total += time * group.stages
    stages += group.stages
  }
  return (
    busiest +
    total / virtualStages +
    holeTime(longest, stages, schedule, microbatches) +
    (bound === 'lower' ? 0 : Math.max(0, stages - 2) * traffic.transferTime) +
    layers.update +
    model.stepOverhead
  )
}

function chipsOf(groups: readonly StageGroup[]): number {
  let chips = 0
  for (const group of groups) chips += group.stages
  return chips
}

/** The same where weight gradients fill the bubble. */
function splitStepTime(
  model: CostModel,
  compute: ComputeNumbers,
  traffic: TrafficNumbers,
  layers: Layers,
  split: SplitBackward,
  mix: Mix,
  bound: Bound,
  scratch: StepScratch,
): Seconds {
  const { groups, microbatches } = layers
  const { forwards, inputGradients, fills } = split
  const filling = fillingTime(compute, groups)
  let busiest = 0
  let waiting = 0
  let path = 0
  for (const group of groups) {
    const time = stageTime(model, compute, traffic, group, layers, mix, bound, scratch)
    const work = backwardCompute(model, compute, group, mix)
    const backward = windowTime(work, scratch.backward, bound)
    const filled = windowTime(work - filling, scratch.backward, bound)
    const inputs = windowTime(work - weightGradientTime(compute, group), scratch.backward, bound)
    const passed = forwards * (time - backward) + inputGradients * inputs
    const once = onceTime(model, compute, traffic, group, mix, bound, scratch, time)
    busiest = Math.max(busiest, microbatches * time + once)
    waiting = Math.max(waiting, microbatches * time - fills * (backward - filled) - passed + once)
    path += group.stages * passed
  }
  return (
    Math.max(busiest, waiting + path) +
    (bound === 'lower' ? 0 : Math.max(0, chipsOf(groups) - 2) * traffic.transferTime) +
    layers.update +
    model.stepOverhead
  )
}

/** Of one microbatch on a stage: what nothing but the optimizer waits for. */
export function weightGradientTime(compute: ComputeNumbers, group: StageGroup): Seconds {
  const head = group.last ? compute.headWeightGradients / group.held : 0
  return group.layers * ofStage(compute, group).weightGradients + head
}

/** What the weight gradients of a microbatch fill of a bubble, whichever stage waits: those of the least layers. */
export function fillingTime(compute: ComputeNumbers, groups: readonly StageGroup[]): Seconds {
  let least = Number.POSITIVE_INFINITY
  for (const group of groups) least = Math.min(least, group.layers * ofStage(compute, group).weightGradients)
  return least
}

/** Time that a stage of `own` per microbatch waits for the others. */
export function bubbleTime(
  own: Seconds,
  total: Seconds,
  stages: number,
  schedule: Schedule,
  microbatches: number,
): Seconds {
  if (stages === 1) return 0
  return (total - own) / schedule.virtualStages + holeTime(own, stages, schedule, microbatches)
}

/** Interleaving with microbatches that the stages do not divide. */
export function holeTime(
  longest: Seconds,
  stages: number,
  { virtualStages }: Schedule,
  microbatches: number,
): Seconds {
  if (virtualStages === 1 || microbatches % stages === 0) return 0
  return ((stages - (microbatches % stages)) * (virtualStages - 1) * longest) / virtualStages
}

/** One microbatch through one stage; leaves the windows' sums in the scratch. */
export function stageTime(
  model: CostModel,
  compute: ComputeNumbers,
  traffic: TrafficNumbers,
  group: StageGroup,
  { groups, schedule }: Pick<Layers, 'groups' | 'schedule'>,
  mix: Mix,
  bound: Bound,
  { forward, backward }: StepScratch,
): Seconds {
  const again = Math.min(mix.count, group.layers)
  const rest = group.layers - again
  const layer = ofStage(traffic, group)
  forward.fill(0)
  backward.fill(0)
  addScaled(forward, layer.forward, group.layers)
  if (rest > 0) addScaled(backward, layer.backward(mix.policy), rest)
  if (again > 0) addScaled(backward, layer.backward(mix.other), again)
  const toHost = rest * (layer.host[mix.policy] ?? 0) + again * (layer.host[mix.other] ?? 0)
  if (toHost > 0) {
    addHostTransfer(forward, toHost, model.problem.assumptions.overlapPrefetched)
    addHostTransfer(backward, toHost, model.problem.assumptions.overlapPrefetched)
  }
  const share = 1 / group.held
  if (group.first) {
    addScaled(forward, traffic.embedding.forward, share)
    addScaled(backward, traffic.embedding.backward, share)
  }
  if (group.last) {
    addScaled(forward, traffic.head.forward, share)
    addScaled(backward, traffic.head.backward, share)
  }
  if (groups.length > 1 || group.stages > 1) {
    addScaled(forward, traffic.transfer, schedule.virtualStages)
    addScaled(backward, traffic.transfer, schedule.virtualStages)
  }
  return (
    windowTime(forwardCompute(model, compute, group), forward, bound) +
    windowTime(backwardCompute(model, compute, group, mix), backward, bound)
  )
}

export function forwardCompute(model: CostModel, compute: ComputeNumbers, group: StageGroup): Seconds {
  const overhead = stageOverhead(model, group)
  const layers = group.layers * ofStage(compute, group).forward
  return layers + (group.last ? compute.headForward / group.held : 0) + overhead
}

export function backwardCompute(
  model: CostModel,
  compute: ComputeNumbers,
  group: StageGroup,
  mix: Mix,
): Seconds {
  const again = Math.min(mix.count, group.layers)
  const overhead = stageOverhead(model, group)
  const { backward } = ofStage(compute, group)
  const layers = (group.layers - again) * (backward[mix.policy] ?? 0) + again * (backward[mix.other] ?? 0)
  return layers + (group.last ? compute.headBackward / group.held : 0) + overhead
}

/** What the first forward and the last backward window grow by; the scratch holds them without it. */
export function onceTime(
  model: CostModel,
  compute: ComputeNumbers,
  traffic: TrafficNumbers,
  group: StageGroup,
  mix: Mix,
  bound: Bound,
  scratch: StepScratch,
  time: Seconds,
): Seconds {
  addOnce(model, traffic, group, scratch)
  const { forward, backward } = scratch
  const grown =
    windowTime(forwardCompute(model, compute, group), forward, bound) +
    windowTime(backwardCompute(model, compute, group, mix), backward, bound)
  return grown - time
}

/** What moves once a step, into windows that hold one microbatch. */
export function addOnce(
  model: CostModel,
  traffic: TrafficNumbers,
  group: StageGroup,
  { forward, backward }: StepScratch,
): void {
  const layer = ofStage(traffic, group)
  addScaled(forward, layer.weights, group.held * group.layers)
  addScaled(backward, layer.gradients, group.held * group.layers)
  const tied = model.problem.model.tiedEmbeddings && group.last
  const ends = [...(group.first && !tied ? [traffic.embedding] : []), ...(group.last ? [traffic.head] : [])]
  for (const { weights, gradients } of ends) {
    addScaled(forward, weights, 1)
    addScaled(backward, gradients, 1)
  }
}

/** The optimizer streams its states through HBM once a step, and Muon multiplies matrices, on the stage that has most. */
export function updateTime(
  model: CostModel,
  stage: StageModel,
  groups: readonly StageGroup[],
  scale: Scale,
): Seconds {
  const { rates, problem } = model
  if (!problem.assumptions.optimizerStep) return 0
  const time = ({ updated, updateFlops }: StateTerms): Seconds =>
    sumTerms(updated, scale) * rates.secondsPerByte +
    sumTerms(updateFlops, scale) * rates.secondsPerUpdateFlop
  const kinds = model.kinds?.()
  const kind = (one: CostModel) => time(stageModel(one, stage.zeroStage).layerStates)
  const average = time(stage.layerStates)
  const [dense, sparse] = kinds ? [kind(kinds.dense), kind(kinds.sparse)] : [average, average]
  const head = time(stage.headStates)
  let most = 0
  for (const group of groups) {
    const tied = group.last && problem.model.tiedEmbeddings
    const front = group.first ? time(tied ? stage.positionStates : stage.embeddingStates) : 0
    const layer = group.composition ? blend(group.composition, dense, sparse) : average
    const own = group.held * group.layers * layer + front + (group.last ? head : 0)
    most = Math.max(most, own / (stage.zeroStage > 0 ? group.held : 1))
  }
  return most
}
