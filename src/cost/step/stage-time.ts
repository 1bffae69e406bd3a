/**
 * One microbatch through one stage: its forward and its backward window, each as long as what it computes or moves takes; and
 * by how much the first and the last microbatch of a step take longer, since weights and gradients move once.
 */
import type { Seconds } from '../../units.ts'
import {
  addHostTransfer,
  addScaled,
  type Bound,
  cleared,
  createTraffic,
  type Traffic,
  windowTime,
} from '../communication/traffic.ts'
import { ofStage } from '../compile/composed.ts'
import { stageOverhead } from '../compute/overhead.ts'
import { type Mix, overLayers } from '../memory/stage-memory.ts'
import type { CostModel } from '../model.ts'
import type { ComputeNumbers, TrafficNumbers } from './microbatch.ts'
import type { Layers, StageGroup } from './stages.ts'

/** Buffers in which windows are added up: a search's workbench has them, and each time that is asked for writes them anew. */
export interface StepScratch {
  readonly forward: Traffic
  readonly backward: Traffic
}

export function createStepScratch(resources: number): StepScratch {
  return { forward: createTraffic(resources), backward: createTraffic(resources) }
}

/** One layout on one placement: all that the time of its step depends on, except for what is recomputed. */
export interface Step {
  readonly model: CostModel
  readonly compute: ComputeNumbers
  readonly traffic: TrafficNumbers
  readonly layers: Layers
  readonly scratch: StepScratch
}

/** Time of one microbatch on a stage that only the optimizer waits for. */
export function weightGradientTime(compute: ComputeNumbers, group: StageGroup): Seconds {
  const head = group.last ? compute.headWeightGradients / group.held : 0
  return group.layers * ofStage(compute, group).weightGradients + head
}

/** Time of one microbatch through one stage; leaves the sums of its windows in the scratch. */
export function stageTime(
  { model, compute, traffic, layers, scratch }: Step,
  group: StageGroup,
  mix: Mix,
  bound: Bound,
): Seconds {
  const { groups, schedule } = layers
  const { forward, backward } = scratch
  const again = Math.min(mix.count, group.layers)
  const rest = group.layers - again
  const layer = ofStage(traffic, group)
  cleared(forward)
  cleared(backward)
  addScaled(forward, layer.forward, group.layers)
  if (rest > 0) addScaled(backward, layer.backward(mix.policy), rest)
  if (again > 0) addScaled(backward, layer.backward(mix.other), again)
  const toHost = overLayers(mix, group.layers, layer.host)
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
  const overhead = stageOverhead(model, group)
  const layers = overLayers(mix, group.layers, ofStage(compute, group).backward)
  return layers + (group.last ? compute.headBackward / group.held : 0) + overhead
}

/** By how much the first forward and the last backward window are longer; expects the scratch to hold them without that. */
export function onceTime(step: Step, group: StageGroup, mix: Mix, bound: Bound, time: Seconds): Seconds {
  addOnce(step, group)
  const { model, compute, scratch } = step
  const { forward, backward } = scratch
  const grown =
    windowTime(forwardCompute(model, compute, group), forward, bound) +
    windowTime(backwardCompute(model, compute, group, mix), backward, bound)
  return grown - time
}

/** Adds what moves once a step to windows that hold one microbatch. */
export function addOnce(
  { model, traffic, scratch }: Pick<Step, 'model' | 'traffic' | 'scratch'>,
  group: StageGroup,
): void {
  const { forward, backward } = scratch
  const layer = ofStage(traffic, group)
  addScaled(forward, layer.weights, group.held * group.layers)
  addScaled(backward, layer.gradients, group.held * group.layers)
  const tied = model.problem.model.tiedEmbeddings && group.last
  if (group.first && !tied) {
    addScaled(forward, traffic.embedding.weights, 1)
    addScaled(backward, traffic.embedding.gradients, 1)
  }
  if (group.last) {
    addScaled(forward, traffic.head.weights, 1)
    addScaled(backward, traffic.head.gradients, 1)
  }
}
