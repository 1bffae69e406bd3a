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
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import type { Turns } from './choice-turns.ts'
import type { Sums } from './floor-sums.ts'

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

/** The first floor: all microbatches in one window, with the work of the whole batch. */
export function together(whole: Work, moved: Moved, all: Sums, turns: Turns): number {
  const { forwardEach, backwardEach, once, onceBack, forward, backward } = all
  const { stages, microbatches, wait, splits } = turns
  const share = 1 / stages
  const forwardWork = share * whole.forward
  const backwardWork = share * whole.backward
  copyTraffic(forward, once)
  addScaled(forward, moved.forward, share)
  addScaled(forward, forwardEach, microbatches)
  copyTraffic(backward, onceBack)
  addScaled(backward, moved.backward, share)
  addScaled(backward, backwardEach, microbatches)
  const bubble = (wait / microbatches) * (forwardWork + backwardWork)
  const before = windowTime(forwardWork, forward, 'expected')
  const after = windowTime(backwardWork, backward, 'expected')
  const allBefore = windowTime(forwardWork, forward, 'upper')
  const allAfter = windowTime(backwardWork, backward, 'upper')
  const unsplit = score(before + after + bubble, allBefore + allAfter + bubble)
  if (splits.length === 0 || stages === 1) return unsplit
  const weightGradients = share * whole.weightGradients
  let least = unsplit
  for (const { forwards, inputGradients, fills } of splits) {
    const filled = (fills / microbatches) * weightGradients
    const inputs = inputGradients * (backwardWork - weightGradients)
    const waits = ((stages - 1) / microbatches) * (forwards * forwardWork + inputs)
    const left = windowTime(backwardWork - filled, backward, 'expected') + waits
    const allLeft = windowTime(backwardWork - filled, backward, 'upper') + waits
    least = Math.min(least, score(before + Math.max(after, left), allBefore + Math.max(allAfter, allLeft)))
  }
  return least
}

/** No more than `together` for any number of microbatches: with nothing moved for each of them, and no bubble. */
export function unbroken(
  whole: Work,
  moved: Moved,
  { once, onceBack, forward, backward }: Sums,
  stages: number,
): Seconds {
  const share = 1 / stages
  copyTraffic(forward, once)
  addScaled(forward, moved.forward, share)
  copyTraffic(backward, onceBack)
  addScaled(backward, moved.backward, share)
  return windowTimes(share * whole.forward, forward, share * whole.backward, backward, 'expected')
}

/** By how much longer than that it is at least because stages wait for each other. */
export function waiting({ forward, backward }: Work, { stages, microbatches, wait, splits }: Turns): Seconds {
  return splits.length > 0 ? 0 : (wait / microbatches / stages) * (forward + backward)
}

/** The closer floor: one microbatch after another, with the work of each. */
export function oneByOne(work: Work, moved: Moved, all: Sums, turns: Turns): number {
  const { forwardEach, backwardEach, once, onceBack, forward, backward } = all
  const share = 1 / turns.stages
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
  const others = turns.microbatches - 1 + turns.wait
  return score(
    others * expected + windowTimes(forwardWork, forward, backwardWork, backward, 'expected'),
    others * upper + windowTimes(forwardWork, forward, backwardWork, backward, 'upper'),
  )
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
