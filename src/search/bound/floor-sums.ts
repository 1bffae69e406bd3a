/** What moves in a stage, separated by how often, for floors to add up (floor.ts). */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import {
  addBuckets,
  type Beside,
  createTraffic,
  routedOverlap,
  type Traffic,
} from '../../cost/communication/traffic.ts'
import type { Bucket, Window } from '../../cost/compile/compile.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { Scale } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { known } from '../../known.ts'
import type { Problem } from '../../problem.ts'
import { scheduleRow, unscheduled } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { triedScheduleRows } from '../layouts/choices.ts'

/** What moves forwards and backwards in each microbatch, and what moves forwards and backwards once. */
export interface StageSums {
  readonly forwardEach: Traffic
  readonly backwardEach: Traffic
  readonly once: Traffic
  readonly onceBack: Traffic
}

/** With two windows to add these up in. */
export interface Sums extends StageSums {
  readonly forward: Traffic
  readonly backward: Traffic
}

/** By ZeRO stage, of the one mesh that the costs are of; they hang on no batch. */
export type KnownSums = WeakMap<NetworkCosts, StageSums[]>

export interface StageBuckets {
  readonly forward: readonly Bucket[]
  readonly backward: readonly Bucket[]
  readonly weights: readonly Bucket[]
  readonly gradients: readonly Bucket[]
  readonly layers: number
  readonly beside: Beside
}

export function stageBuckets(stage: StageModel, model: CostModel): StageBuckets {
  const { assumptions, model: transformer } = model.problem
  const backward = stage.layer.backward[0] ?? stage.layer.forward
  return {
    forward: ofEach(stage.layer.forward),
    backward: ofEach(backward),
    weights: stage.layer.weights.buckets,
    gradients: stage.layer.gradients.buckets,
    layers: transformer.layers,
    beside: { assumptions, experts: transformer.experts },
  }
}

/** Sums of the layers alone: the ends add to one stage each, and the floor is for the average stage. */
export function stageSums(
  { forward, backward, weights, gradients, layers, beside }: StageBuckets,
  resources: number,
  mesh: Mesh,
  scale: Scale,
  costs: NetworkCosts,
): StageSums {
  const summed = (moved: readonly Bucket[]) => {
    const sum = createTraffic(resources)
    addBuckets(sum, moved, scale, costs, beside)
    for (let i = 0; i < sum.length; i++) sum[i] = ((sum[i] ?? 0) * layers) / mesh.pipeline
    return sum
  }
  return {
    forwardEach: summed(forward),
    backwardEach: summed(backward),
    once: summed(weights),
    onceBack: summed(gradients),
  }
}

/** The largest share of what experts are sent that any schedule that is tried hides. */
export function mostRoutedOverlap(problem: Problem): number {
  const rows = [scheduleRow(unscheduled), ...triedScheduleRows(problem)]
  const shares = rows.map((row) => routedOverlap(row, Number.POSITIVE_INFINITY, problem.assumptions).share)
  return Math.max(...shares)
}

/** Calls that grow with the number of tokens: activations, and keys around a ring. */
export function ofBatch(window: Window | undefined): readonly Bucket[] {
  return window ? known(grown, window, () => window.buckets.filter(growsWithBatch)) : []
}

const grown = new WeakMap<Window, readonly Bucket[]>()

/** Calls that are the same for every microbatch: weights and their gradients. */
function ofEach(window: Window): readonly Bucket[] {
  return window.buckets.filter((bucket) => !growsWithBatch(bucket))
}

export function growsWithBatch({ critical, passed }: Bucket): boolean {
  return critical || passed
}
