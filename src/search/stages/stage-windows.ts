/**
 * The windows of one stage as linear functions of how many of its layers use which policy, in ms: the cost model's own
 * numbers with one policy on all layers, per layer. What a window waits for is the longest of several such functions.
 */

import {
  exposedAt,
  firstResource,
  resourcesOf,
  type Traffic,
  windowTime,
} from '../../cost/communication/traffic.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import type { Mix } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers, TrafficNumbers } from '../../cost/step/microbatch.ts'
import {
  addOnce,
  backwardCompute,
  forwardCompute,
  type StepScratch,
  stageTime,
  weightGradientTime,
} from '../../cost/step/stage-time.ts'
import type { Layers, StageGroup } from '../../cost/step/stages.ts'
import { fillingTime } from '../../cost/step/step.ts'
import type { Seconds } from '../../units.ts'

/** One layout on one placement, in numbers. */
export interface LayoutNumbers {
  readonly model: CostModel
  readonly memory: MemoryNumbers
  readonly compute: ComputeNumbers
  readonly traffic: TrafficNumbers
  readonly layers: Layers
}

export const milliseconds = 1e3

/** One stage in ms: what does not depend on the policy, and for each policy what one of its layers takes. */
export interface StageWindows {
  readonly forward: number
  /** How much longer the windows are once a step, apart from the maximum of the backward one. */
  readonly once: number
  /** What may not overlap in the backward window, by policy. */
  readonly exposed: readonly number[]
  /** Each thing that the backward window waits for, by policy; `grown` includes the gradients of the step. */
  readonly backward: readonly (readonly number[])[]
  readonly grown: readonly (readonly number[])[]
  /** The same without the weight gradients that fill a bubble, and without any weight gradients (recipe/schedule-row.ts). */
  readonly filled: readonly (readonly number[])[]
  readonly inputs: readonly (readonly number[])[]
}

/** Windows are linear in the counts, so their values with one policy on all layers say everything. */
export function stageWindows(numbers: LayoutNumbers, group: StageGroup, scratch: StepScratch): StageWindows {
  const { model, memory, compute, layers } = numbers
  const step = { ...numbers, scratch }
  const computing = forwardCompute(model, compute, group)
  const filling = fillingTime(compute, layers.groups)
  const gradients = weightGradientTime(compute, group)
  const alone = memory.kept.map((_, policy) => {
    const mix: Mix = { policy, other: policy, count: 0 }
    stageTime(step, group, mix, 'expected')
    const { forward, backward } = scratch
    const before = { forward: windowTime(computing, forward, 'expected'), backward: backward.slice() }
    addOnce(step, group)
    const work = backwardCompute(model, compute, group, mix)
    return {
      forward: before.forward,
      grownForward: windowTime(computing, forward, 'expected'),
      exposed: before.backward[exposedAt] ?? 0,
      grownExposed: backward[exposedAt] ?? 0,
      waits: waits(work, before.backward),
      grownWaits: waits(work, backward),
      filledWaits: waits(work - filling, before.backward),
      inputWaits: waits(work - gradients, before.backward),
    }
  })
  const [any] = alone
  if (!any) throw new RangeError('No rematerialisation policy is allowed')
  const perLayer = (seconds: Seconds) => (seconds * milliseconds) / group.layers
  const byBound = (pick: (own: (typeof alone)[number]) => readonly Seconds[]) =>
    pick(any).map((_, k) => alone.map((own) => perLayer(pick(own)[k] ?? 0)))
  return {
    forward: any.forward * milliseconds,
    once: (any.grownForward - any.forward + any.grownExposed - any.exposed) * milliseconds,
    exposed: alone.map(({ exposed }) => perLayer(exposed)),
    backward: undominated(byBound((own) => own.waits)),
    grown: undominated(byBound((own) => own.grownWaits)),
    filled: undominated(byBound((own) => own.filledWaits)),
    inputs: undominated(byBound((own) => own.inputWaits)),
  }
}

/** What a window may wait for: compute, and the overlappable share of every resource. */
function waits(compute: Seconds, traffic: Traffic): readonly Seconds[] {
  return [compute, ...traffic.slice(firstResource, firstResource + resourcesOf(traffic))]
}

/** Drops bounds that another bound is at least as large as under every policy, and so under every mix. */
function undominated(bounds: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const over = (a: readonly number[], b: readonly number[]) =>
    a.every((value, policy) => value >= (b[policy] ?? 0))
  return bounds.filter(
    (bound, k) => !bounds.some((other, j) => j !== k && over(other, bound) && (j < k || !over(bound, other))),
  )
}
