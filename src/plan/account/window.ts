/**
 * A part of a step in which kernels and communication run side by side, and what of it the network takes. Weights that are gathered
 * forwards cannot hide behind the backward pass, so sums over a step say nothing of what is waited for: windows do.
 *
 * The network binds a window if it is in use for longer than there is to compute, all that moves taken to run beside kernels. A
 * window that it binds takes as long as the network does: faster kernels would not shorten it.
 */
import { firstResource, resourcesOf, type Traffic, windowTime } from '../../cost/communication/traffic.ts'
import type { Seconds } from '../../units.ts'

export interface Window {
  /** How often it is in the step, one after another. */
  readonly times: number
  readonly computed: Seconds
  readonly traffic: Traffic
}

/** At the ridge of the roofline, equal within rounding, the network does not bind. */
const ridge = 1 + 1e-9

/** How many times slower the network could be before it binds any window: below 1 if it does already; null if nothing moves in any. */
export function windowHeadroom(windows: readonly Window[]): number | null {
  const least = windows
    .filter(({ times }) => times > 0)
    .reduce((most, { computed, traffic }) => {
      const moved = inUse(traffic)
      return moved > 0 ? Math.min(most, computed / moved) : most
    }, Number.POSITIVE_INFINITY)
  return least < Number.POSITIVE_INFINITY ? least : null
}

export interface Bound {
  /** Time of the windows that each part of the network binds. */
  readonly byPart: readonly Seconds[]
  /** How much of that time is not waited for, as kernels run beside it. */
  readonly hidden: Seconds
  /** Share of the time of kernels that lies in the other windows. */
  readonly kernelShare: number
}

export function boundWindows(windows: readonly Window[], parts: number): Bound {
  const byPart = new Array<Seconds>(parts).fill(0)
  let hidden = 0
  let [all, beyond] = [0, 0]
  for (const { times, computed, traffic } of windows) {
    const waited = windowTime(computed, traffic, 'expected') - computed
    const moved = inUse(traffic)
    const binds = moved > computed * ridge
    all += times * computed
    if (!binds) {
      beyond += times * computed
      continue
    }
    const part = busyParts(traffic).indexOf(moved)
    const taken = Math.max(moved, waited)
    byPart[part] = (byPart[part] ?? 0) + times * taken
    hidden += times * (taken - waited)
  }
  return { byPart, hidden, kernelShare: all > 0 ? beyond / all : 1 }
}

/** Seconds that the busiest part of the network is in use. */
function inUse(traffic: Traffic): Seconds {
  return Math.max(0, ...busyParts(traffic))
}

function busyParts(traffic: Traffic): Traffic {
  return traffic.slice(firstResource + resourcesOf(traffic))
}
