/**
 * A floor under every layout of one ZeRO stage and number of microbatches, whatever its schedule and policies: the work of
 * the whole batch spread evenly over the stages with nothing recomputed, the communication as it is given, and the bubble of
 * the most virtual stages. The overhead of a step is added by floor.ts.
 *
 *   floor = window(C_f, A_f + m·P_f + W) + window(C_b, A_b + m·P_b + G) + (p-1)/(v·m) · (C_f + C_b)
 *
 * Schedules that split the backward pass (recipe/schedule-row.ts) fill k of m microbatches' weight gradients C_w into the bubble:
 *
 *           window(C_f, …) + window(C_b - k/m·C_w, …) + (p-1)/m · (a·C_f + b·(C_b - C_w))
 *
 * on the average stage, and no less than without any bubble; schedules that hide what experts are sent hide it here.
 *
 * A is the activations that are waited for and the keys that go around a ring: of the whole batch, the same for any m. P is the
 * weights and gradients that move in every microbatch; W and G are those that move once. All of what goes around a ring that may hide is
 * taken to find scores to hide behind. Windows of several microbatches take at least as long as one window of their sums, because the
 * longest of sums is at most the sum of the longest. Left out are transfers between stages, the optimizer, the uneven
 * ends of the pipeline, and that small matmuls are slower.
 *
 * A closer floor, which takes longer to compute, knows the size of microbatches: with C and A of one of them, and t both of its windows,
 *
 *   (m-1)·t + window(C_f, A_f + P_f + W) + window(C_b, A_b + P_b + G) + (p-1)/v · t
 */

import { addScaled, copyTraffic, type Traffic, windowTime } from '../../cost/communication/traffic.ts'
import { known } from '../../known.ts'
import type { Problem } from '../../problem.ts'
import { canRun, hasVirtualStages, scheduleRows } from '../../recipe/schedule.ts'
import type { SplitBackward } from '../../recipe/schedule-row.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import { type Microbatching, triedScheduleRows } from '../layouts/choices.ts'
import type { Sums } from './floor-sums.ts'
import { waitingTurns } from './work-floor.ts'

/** Time of all layers and the ends, on a chip that had them all. */
export interface Work {
  readonly forward: Seconds
  readonly backward: Seconds
  readonly weightGradients: Seconds
}

export interface Moved {
  readonly forward: Traffic
  readonly backward: Traffic
}

/** A floor from the work, what the batch moves, the sums of what its stages move, the microbatches and the mesh. */
type FloorOf = (work: Work, moved: Moved, sums: Sums, choice: Microbatching, mesh: Mesh) => number

interface ChoiceFloors {
  readonly together: FloorOf
  /** No more than that for any number of microbatches: with nothing moved for each of them, and no bubble. */
  readonly unbroken: (work: Work, moved: Moved, sums: Sums, mesh: Mesh) => Seconds
  /** By how much longer it is at least because stages wait for each other. */
  readonly waiting: (work: Work, choice: Microbatching, mesh: Mesh) => Seconds
  readonly oneByOne: FloorOf
  /** Whether any schedule that is tried splits the backward pass; `splits` asks it for one mesh and number of microbatches. */
  readonly splitsAny: boolean
  readonly splits: (mesh: Mesh, choice: Microbatching) => boolean
  /** The turns of a microbatch that a step has at least: one for each of them, and those that a stage waits. */
  readonly turnsOf: (mesh: Mesh, choice: Microbatching) => number
}

/** What so many microbatches do on so many stages, under the schedules that may run them. */
export interface Turns {
  /** For how many turns of a microbatch a stage waits for the others, under the schedule with the shortest wait. */
  readonly wait: number
  /** How the schedules that split the backward pass do so here. */
  readonly splits: readonly SplitBackward[]
}

/** By number of stages, then of microbatches. */
export type KnownTurns = Map<number, Map<number, Turns>>

/** `turns` may be shared by floors of the same model on other chips. */
export function choiceFloors(problem: Problem, turns: KnownTurns): ChoiceFloors {
  const { layers } = problem.model
  const tried = triedScheduleRows(problem)
  const splitting = tried.filter(({ split }) => split !== null)
  const interleaving = scheduleRows.filter(hasVirtualStages)
  /** Asked for each microbatching of each mesh, and the same for many. */
  const knownTurns = ({ pipeline }: Mesh, { microbatches }: Microbatching): Turns => {
    const found = turns.get(pipeline)?.get(microbatches)
    if (found) return found
    const made = turnsFor(pipeline, microbatches)
    known(turns, pipeline, () => new Map<number, Turns>()).set(microbatches, made)
    return made
  }
  return {
    together,
    unbroken,
    waiting: ({ forward, backward }, choice, mesh) => {
      const { wait, splits } = knownTurns(mesh, choice)
      return splits.length > 0 ? 0 : (wait / choice.microbatches / mesh.pipeline) * (forward + backward)
    },
    oneByOne,
    splitsAny: splitting.length > 0,
    splits: (mesh, choice) => knownTurns(mesh, choice).splits.length > 0,
    turnsOf: (mesh, choice) => {
      const { wait, splits } = knownTurns(mesh, choice)
      return choice.microbatches + (splits.length > 0 ? 0 : wait)
    },
  }

  function turnsFor(pipeline: number, microbatches: number): Turns {
    const splits = splitting.flatMap((row) => {
      return (canRun(row, pipeline, microbatches) && row.split?.(pipeline, microbatches)) || []
    })
    return { wait: leastTurns(pipeline, microbatches), splits }
  }

  function leastTurns(pipeline: number, microbatches: number): number {
    if (pipeline === 1) return 0
    let most = 1
    for (const row of interleaving) {
      if (row.worthwhile(pipeline, microbatches)) most = Math.max(most, row.virtualStages[1])
    }
    return waitingTurns(pipeline, most, layers)
  }

  /** The closer floor: one microbatch after another, with the work of each. */
  function oneByOne(work: Work, moved: Moved, all: Sums, choice: Microbatching, mesh: Mesh): number {
    const { forwardEach, backwardEach, once, onceBack, forward, backward } = all
    const share = 1 / mesh.pipeline
    copyTraffic(forward, forwardEach)
    addScaled(forward, moved.forward, share)
    copyTraffic(backward, backwardEach)
    addScaled(backward, moved.backward, share)
    const forwardWork = share * work.forward
    const backwardWork = share * work.backward
    const expected = windowTimes(forwardWork, forward, backwardWork, backward, 'expected')
    const upper = windowTimes(forwardWork, forward, backwardWork, backward, 'upper')
    addScaled(forward, once, 1)
    addScaled(backward, onceBack, 1)
    const others = choice.microbatches - 1 + knownTurns(mesh, choice).wait
    return score(
      others * expected + windowTimes(forwardWork, forward, backwardWork, backward, 'expected'),
      others * upper + windowTimes(forwardWork, forward, backwardWork, backward, 'upper'),
    )
  }

  function unbroken(
    whole: Work,
    moved: Moved,
    { once, onceBack, forward, backward }: Sums,
    mesh: Mesh,
  ): Seconds {
    const share = 1 / mesh.pipeline
    copyTraffic(forward, once)
    addScaled(forward, moved.forward, share)
    copyTraffic(backward, onceBack)
    addScaled(backward, moved.backward, share)
    return windowTimes(share * whole.forward, forward, share * whole.backward, backward, 'expected')
  }

  /** The first floor: all microbatches in one window, with the work of the whole batch. */
  function together(whole: Work, moved: Moved, all: Sums, choice: Microbatching, mesh: Mesh): number {
    const { forwardEach, backwardEach, once, onceBack, forward, backward } = all
    const { microbatches } = choice
    const share = 1 / mesh.pipeline
    const forwardWork = share * whole.forward
    const backwardWork = share * whole.backward
    copyTraffic(forward, once)
    addScaled(forward, moved.forward, share)
    addScaled(forward, forwardEach, microbatches)
    copyTraffic(backward, onceBack)
    addScaled(backward, moved.backward, share)
    addScaled(backward, backwardEach, microbatches)
    const { wait, splits } = knownTurns(mesh, choice)
    const bubble = (wait / microbatches) * (forwardWork + backwardWork)
    const before = windowTime(forwardWork, forward, 'expected')
    const after = windowTime(backwardWork, backward, 'expected')
    const allBefore = windowTime(forwardWork, forward, 'upper')
    const allAfter = windowTime(backwardWork, backward, 'upper')
    const unsplit = score(before + after + bubble, allBefore + allAfter + bubble)
    if (splits.length === 0 || mesh.pipeline === 1) return unsplit
    const weightGradients = share * whole.weightGradients
    let least = unsplit
    for (const { forwards, inputGradients, fills } of splits) {
      const filled = (fills / microbatches) * weightGradients
      const inputs = inputGradients * (backwardWork - weightGradients)
      const waits = ((mesh.pipeline - 1) / microbatches) * (forwards * forwardWork + inputs)
      const left = windowTime(backwardWork - filled, backward, 'expected') + waits
      const allLeft = windowTime(backwardWork - filled, backward, 'upper') + waits
      least = Math.min(least, score(before + Math.max(after, left), allBefore + Math.max(allAfter, allLeft)))
    }
    return least
  }
}

/** Time of a forward and a backward window. */
function windowTimes(
  forwardWork: Seconds,
  forward: Traffic,
  backwardWork: Seconds,
  backward: Traffic,
  bound: 'expected' | 'upper',
): Seconds {
  return windowTime(forwardWork, forward, bound) + windowTime(backwardWork, backward, bound)
}
