/**
 * A floor under every cut of a layout into stages, from its work alone: arithmetic and overhead of T = L·c + h in one microbatch, c a
 * layer with everything kept and h the head. The longest of p stages has no less than their mean, and v virtual stages fill and
 * drain once:
 *
 *   floor = (m - 1/v)·T/p + T/v, or m·T/p where the backward pass is split
 *
 * It takes one multiplication a schedule, so it is asked before stages, memory and communication of the layout are looked at.
 */

import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Seconds } from '../../units.ts'

/** Time of one microbatch through all stages, one chip after another. */
export function wholeWork({ problem, layerOverhead }: CostModel, compute: ComputeNumbers): Seconds {
  const layer = compute.forward + Math.min(...compute.backward) + 2 * layerOverhead
  return problem.model.layers * layer + compute.headForward + compute.headBackward
}

/** For how many turns of a microbatch a stage waits for the others, with so many virtual stages at most. */
export function waitingTurns(stages: number, virtual: number): number {
  return (stages - 1) / virtual
}

export function workFloor(work: Seconds, stages: number, schedule: Schedule, microbatches: number): Seconds {
  const { virtualStages } = schedule
  const floor = scheduleRow(schedule).split
    ? (microbatches * work) / stages
    : ((microbatches - 1 / virtualStages) * work) / stages + work / virtualStages
  // Added up in another order than a step, so rounding must not put it above one.
  return floor * (1 - 1e-12)
}
