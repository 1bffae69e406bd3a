/**
 * Whether a changed problem would list a plan: one that fits and, if frameworks are assumed, can be launched. False if
 * there is no time to find one, and after a change with which none of the frameworks that could run what was asked can
 * run anything: all that it lists would be plans that nobody launches.
 */
import { launchable, runsAtAll } from '../../launch/training.ts'
import type { Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { anythingFits } from '../../search/fits.ts'
import { contextModels } from '../../search/layouts/context-models.ts'
import { anyAccepted } from '../../search/search.ts'

/** `asked` is the problem before the change. */
export function anythingListed(asked: Problem, changed: Problem, stop: Stop): boolean {
  if (strands(asked, changed)) return false
  // Memory is quick to test, and the usual obstacle.
  if (stop() || !anythingFits(changed, stop)) return false
  return contextModels(changed).some((model) => {
    const accepts = launchable(model)
    return accepts === null || anyAccepted(model, accepts, stop)
  })
}

/** Whether frameworks are still assumed, and the change leaves none of them. */
function strands(asked: Problem, changed: Problem): boolean {
  return changed.assumptions.frameworks.length > 0 && runsAtAll(asked) && !runsAtAll(changed)
}
