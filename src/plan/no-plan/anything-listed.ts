/**
 * Whether a changed problem would list a plan: one that fits and, if frameworks are assumed, can be launched. False if
 * there is no time to find one.
 */

import { launchable } from '../../launch/training.ts'
import { never, type Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { anythingFits } from '../../search/fits.ts'
import { contextModels } from '../../search/layouts/context-models.ts'
import { anyAccepted } from '../../search/search.ts'

export function anythingListed(problem: Problem, stop: Stop = never): boolean {
  // Memory is quick to test, and the usual obstacle.
  if (stop() || !anythingFits(problem, stop)) return false
  return contextModels(problem).some((model) => {
    const accepts = launchable(model)
    return accepts === null || anyAccepted(model, accepts, stop)
  })
}
