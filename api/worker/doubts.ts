/** Which of the warnings of a check are no mere notes. */
import { compact } from '../../src/compact.ts'
import type { LaunchReading } from '../../src/launch/read/reading.ts'
import type { Trial } from '../../src/modes/question.ts'
import type { SearchAccount } from '../../src/plan/answer.ts'
import { beyondLinks } from '../../src/plan/explain/beyond-links.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { cutText } from '../../src/plan/search-account.ts'
import { launchDoubts } from '../translate/launch/launch.ts'

interface Told {
  readonly reading: LaunchReading | null
  readonly search: SearchAccount
  readonly problem: Trial['problem']
  /** Null where it is illegal. */
  readonly plan: Plan | ServePlan | null
}

/**
 * Of a file that is not read as it runs, or not as it was likely meant, of a plan that is hardly meant, and of a search that was cut; absent where
 * there are none.
 */
export function doubtsAmong(
  warnings: readonly string[],
  { reading, search, problem, plan }: Told,
): { readonly doubts?: readonly string[] } {
  const ofPlan = plan && 'placement' in plan ? beyondLinks(problem, plan) : null
  const doubted = new Set(compact(launchDoubts(reading), cutText(search), ofPlan))
  const doubts = warnings.filter((one) => doubted.has(one))
  return doubts.length > 0 ? { doubts } : {}
}
