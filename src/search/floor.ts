/**
 * A floor under every layout of a mesh, whatever its schedule, policies and placement: the work of the whole batch
 * spread evenly over the stages with nothing recomputed, the communication on the best conceivable placement, and the
 * bubble of the most virtual stages. What a layout trades against each other, it trades here too:
 *
 *   floor = min over ZeRO stages and microbatches m of
 *           window(C_f, A_f + m·P_f + W) + window(C_b, A_b + m·P_b + G) + (p-1)/(v·m) · (C_f + C_b) + overhead
 *
 * Schedules that split the backward pass (recipe/schedule-row.ts) fill k of m microbatches' weight gradients C_w into the bubble:
 *
 *           window(C_f, …) + window(C_b - k/m·C_w, …) + (p-1)/m · (a·C_f + b·(C_b - C_w))
 *
 * on the average stage, and no less than without any bubble; those that hide what experts are sent hide it here.
 *
 * A activations, those that are waited for and keys that go around a ring: of the whole batch, the same for any m; P the
 * weights and gradients that move every microbatch; W and G those that move once. All of what goes around a ring that may hide is
 * taken to find scores to hide behind. Windows of several microbatches take at least as long as one of their sums, because the
 * longest of sums is at most the sum of the longest. Left out: transfers between stages, the optimizer, the uneven
 * ends of the pipeline, and that small matmuls are slower.
 */
import type { Bucket, Window } from '../cost/compile.ts'
import { computeTime } from '../cost/compute.ts'
import type { CostModel } from '../cost/model.ts'
import type { NetworkCosts } from '../cost/network.ts'
import type { StageModel } from '../cost/stage-model.ts'
import { type Scale, setBatch, setMesh } from '../cost/term.ts'
import { addBuckets, addScaled, createTraffic, type Traffic, windowTime } from '../cost/traffic.ts'
import { canRun, hasVirtualStages, scheduleRow, scheduleRows } from '../recipe/schedule.ts'
import type { Mesh } from '../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../sharding/states.ts'
import type { Seconds } from '../units.ts'
import { score } from './candidate.ts'
import { type Microbatching, microbatchChoices, triedSchedules, zeroChoices } from './choices.ts'

export interface Floors {
  /** Of every layout of a mesh. */
  readonly of: (mesh: Mesh, scale: Scale) => number
  /** Of those of one of its ZeRO stages and numbers of microbatches. */
  readonly within: (mesh: Mesh, scale: Scale) => ChoiceFloor
}

export type ChoiceFloor = (zeroStage: ZeroStage, microbatches: number) => number

interface Work {
  readonly forward: Seconds
  readonly backward: Seconds
  readonly weightGradients: Seconds
  readonly forwardTraffic: Traffic
  readonly backwardTraffic: Traffic
}

export function meshFloors(model: CostModel): Floors {
  const { assumptions, model: transformer } = model.problem
  const { layers } = transformer
  const works = new Map<string, Work>()
  const tried = triedSchedules(model.problem).map((name) => scheduleRow({ name }))
  const splitting = tried.filter(({ split }) => split !== null)
  const interleaving = scheduleRows.filter(hasVirtualStages)
  const hides = tried.some(({ hidesRouted }) => hidesRouted)
  const sum = () => createTraffic(model.resources)
  const sums: Sums = [sum(), sum(), sum(), sum(), sum(), sum()]
  const stages = model.stages.map((stage) => stageBuckets(stage, model))

  const workOf = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): Work => {
    const key = `${mesh.tensor} ${mesh.tensor2} ${mesh.context} ${mesh.expert} ${mesh.pipeline} ${sequences}`
    const known = works.get(key)
    if (known) return known
    setBatch(scale, sequences)
    const [stage] = model.stages
    const half = (layer: Window | undefined, head: Window | undefined): [Seconds, Traffic] => {
      const traffic = createTraffic(model.resources)
      const one = createTraffic(model.resources)
      addBuckets(traffic, ofBatch(head), scale, costs, assumptions, {
        experts: transformer.experts,
        hidesRouted: hides,
      })
      addBuckets(one, ofBatch(layer), scale, costs, assumptions, {
        experts: transformer.experts,
        hidesRouted: hides,
      })
      addScaled(traffic, one, layers)
      const overhead = layers * model.layerOverhead
      const compute = layers * computeTime(layer?.products ?? [], scale, model.rates)
      const ends = computeTime(head?.products ?? [], scale, model.rates)
      return [(compute + ends + overhead) / mesh.pipeline, scaled(traffic, 1 / mesh.pipeline)]
    }
    const [forward, forwardTraffic] = half(stage?.layer.forward, stage?.head.forward)
    const [backward, backwardTraffic] = half(model.leastBackward, stage?.head.backward)
    const gradients = model.weightGradients
    const weightGradients =
      splitting.length === 0
        ? 0
        : (layers * computeTime(gradients.layer, scale, model.rates) +
            computeTime(gradients.head, scale, model.rates)) /
          mesh.pipeline
    const work: Work = { forward, backward, weightGradients, forwardTraffic, backwardTraffic }
    works.set(key, work)
    return work
  }

  const visitChoices = (
    mesh: Mesh,
    scale: Scale,
    visit: (zeroStage: ZeroStage, microbatches: number, floor: number) => void,
  ): void => {
    setMesh(scale, mesh, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
    const choices = microbatchChoices(mesh, model.problem)
    const [first] = choices
    if (!first) return
    for (const costs of model.prices.bestCases(mesh)) {
      const work = workOf(mesh, first.sequences * first.microbatches, scale, costs)
      for (const zeroStage of zeroChoices(mesh, model.problem)) {
        const buckets = stages[zeroStage]
        if (!buckets) continue
        fillSums(sums, buckets, mesh, layers, scale, costs, model)
        for (const choice of choices) {
          const time = together(work, sums, choice, mesh, layers)
          // The sums are added in another order than a layout's: rounding must not put the floor above it.
          const floor = (time + score(model.stepOverhead, model.stepOverhead)) * (1 - 1e-12)
          visit(zeroStage, choice.microbatches, floor)
        }
      }
    }
  }
  return {
    of: (mesh, scale) => {
      let least = Number.POSITIVE_INFINITY
      visitChoices(mesh, scale, (_stage, _microbatches, floor) => {
        least = Math.min(least, floor)
      })
      return least
    },
    within: (mesh, scale) => {
      const floors = new Map<number, number>()
      const key = (zeroStage: ZeroStage, microbatches: number) => zeroStages.length * microbatches + zeroStage
      visitChoices(mesh, scale, (zeroStage, microbatches, floor) => {
        const at = key(zeroStage, microbatches)
        floors.set(at, Math.min(floors.get(at) ?? Number.POSITIVE_INFINITY, floor))
      })
      return (zeroStage, microbatches) => floors.get(key(zeroStage, microbatches)) ?? 0
    },
  }

  function together(
    work: Work,
    all: Sums,
    { microbatches }: Microbatching,
    mesh: Mesh,
    count: number,
  ): number {
    const [forwardEach, backwardEach, once, onceBack, forward, backward] = all
    forward.set(work.forwardTraffic)
    addScaled(forward, forwardEach, microbatches)
    addScaled(forward, once, 1)
    backward.set(work.backwardTraffic)
    addScaled(backward, backwardEach, microbatches)
    addScaled(backward, onceBack, 1)
    const virtual = interleaving.reduce(
      (most, row) =>
        row.worthwhile(mesh.pipeline, microbatches) ? Math.max(most, row.virtualStages[1]) : most,
      1,
    )
    const bubble =
      ((mesh.pipeline - 1) / Math.max(1, Math.min(virtual, count / mesh.pipeline)) / microbatches) *
      (work.forward + work.backward)
    const time = (bound: 'expected' | 'upper') =>
      windowTime(work.forward, forward, bound) + windowTime(work.backward, backward, bound) + bubble
    const whole = score(time('expected'), time('upper'))
    if (splitting.length === 0 || mesh.pipeline === 1) return whole
    return splitting.reduce((least, row) => {
      const split = canRun(row, mesh.pipeline, microbatches) && row.split?.(mesh.pipeline, microbatches)
      if (!split) return least
      const { forwards, inputGradients, fills } = split
      const filled = (fills / microbatches) * work.weightGradients
      const inputs = inputGradients * (work.backward - work.weightGradients)
      const waits = ((mesh.pipeline - 1) / microbatches) * (forwards * work.forward + inputs)
      const splitTime = (bound: 'expected' | 'upper') => {
        const busy = windowTime(work.forward, forward, bound)
        const unfilled = windowTime(work.backward, backward, bound)
        return busy + Math.max(unfilled, windowTime(work.backward - filled, backward, bound) + waits)
      }
      return Math.min(least, score(splitTime('expected'), splitTime('upper')))
    }, whole)
  }
}

/** Each microbatch forwards and backwards, once forwards and backwards, and the two windows they add up in. */
type Sums = readonly [Traffic, Traffic, Traffic, Traffic, Traffic, Traffic]

interface StageBuckets {
  readonly forward: readonly Bucket[]
  readonly backward: readonly Bucket[]
  readonly weights: readonly Bucket[]
  readonly gradients: readonly Bucket[]
}

function stageBuckets(stage: StageModel, model: CostModel): StageBuckets {
  const backward = stage.layer.backward[model.leastPolicy] ?? stage.layer.forward
  return {
    forward: ofEach(stage.layer.forward),
    backward: ofEach(backward),
    weights: stage.layer.weights.buckets,
    gradients: stage.layer.gradients.buckets,
  }
}

/** Layers alone: the ends add to one stage each, and the floor is of the average. */
function fillSums(
  [forward, backward, weights, gradients]: Sums,
  buckets: StageBuckets,
  mesh: Mesh,
  layers: number,
  scale: Scale,
  costs: NetworkCosts,
  model: CostModel,
): void {
  const fill = (sum: Traffic, moved: readonly Bucket[]) => {
    sum.fill(0)
    addBuckets(sum, moved, scale, costs, model.problem.assumptions, {
      experts: model.problem.model.experts,
    })
    for (let i = 0; i < sum.length; i++) sum[i] = ((sum[i] ?? 0) * layers) / mesh.pipeline
  }
  fill(forward, buckets.forward)
  fill(backward, buckets.backward)
  fill(weights, buckets.weights)
  fill(gradients, buckets.gradients)
}

/** Activations: of more tokens more. */
function ofBatch(window: Window | undefined): readonly Bucket[] {
  return window?.buckets.filter(growsWithBatch) ?? []
}

/** Weights and their gradients: of every microbatch as much. */
function ofEach(window: Window): readonly Bucket[] {
  return window.buckets.filter((bucket) => !growsWithBatch(bucket))
}

function growsWithBatch({ critical, passed }: Bucket): boolean {
  return critical || passed
}

function scaled(traffic: Traffic, times: number): Traffic {
  return traffic.map((value) => value * times)
}
