/**
 * Whether a changed problem would have a plan in its list: one that fits and, where frameworks are assumed, can be launched. No, where there is
 * no time to find one.
 */

import { launchable } from '../../launch/training.ts'
import { never, type Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { anythingFits } from '../../search/fits.ts'
import { contextModels } from '../../search/layouts/context-models.ts'
import { anyAccepted } from '../../search/search.ts'

export function anythingListed(problem: Problem, stop: Stop = never): boolean {
  // Memory alone is quick to ask, and mostly what is in the way.
  if (stop() || !anythingFits(problem, stop)) return false
  return contextModels(problem).some((model) => {
    const accepts = launchable(model)
    return accepts === null || anyAccepted(model, accepts, stop)
  })
}
