/**
 * Builds the answer of any mode from what its search found: plans, as many as there is time to write out; the best one
 * that no framework launches; how the search went and what it proves; sensitivities of the best plan; or the reasons
 * why there is no plan.
 */
import { compact } from '../compact.ts'
import { alone, type Crew } from '../crew.ts'
import type { Framework } from '../launch/framework.ts'
import { type Patience, type Stop, shares } from '../patience.ts'
import type { AskedSetting } from '../problem.ts'
import type { Scored } from '../search/listed.ts'
import type { Listing } from '../search/parts.ts'
import type { Seconds } from '../units.ts'
import type { NoPlan, Resolved, SearchAnswer, Sensitivity, Unlaunchable } from './answer.ts'
import { assembled, unshown } from './assembled.ts'
import { withIdleChips } from './explain/idle-chips.ts'
import { modelSummary } from './explain/model-summary.ts'
import { noLaunch } from './no-plan/no-launch.ts'
import { type Nothing, underChips } from './no-plan/under-chips.ts'
import type { Plan } from './plan.ts'
import { cutText, searchAccount } from './search-account.ts'

export interface Searched<Asked extends AskedSetting, Found extends Scored, Listed extends Plan, None> {
  readonly problem: Asked
  /** Positions of a sequence. */
  readonly positions: number
  readonly result: Listing<Found> & { readonly onAll: Found | null }
  readonly secondsOf: (found: Found) => Seconds
  readonly planOf: (found: Found, rank: number) => Listed
  /** The best plan that no framework launches, if it is better than the first listed one. */
  readonly unlaunchable: (first: Listed | null) => Unlaunchable<Listed> | null
  /** Frameworks that a plan may be launched by, and the number of layouts that all of them refuse. */
  readonly assumed: readonly Framework[]
  readonly refused: number
  /** A lower bound for all plans; null if there is no time for it (`late`), or none is known. */
  readonly boundOf: (best: Found, late: boolean) => Seconds | null
  readonly sensitivityOf: (best: Found, late: boolean) => Sensitivity | null
  /** What is answered on fewer chips, where nothing is listed. */
  readonly answerOn: (fewer: Asked) => Nothing<Listed, None | NoPlan<never> | null>
  /** Why nothing fits on the chips asked for. */
  readonly reasons: (stop: Stop) => None
  readonly anyPlan: (changed: Asked, stop: Stop) => boolean
  readonly warnings: (first: Listed | null) => readonly string[]
}

interface Answered<Listed, None> extends Omit<SearchAnswer<Listed, None | NoPlan<never>>, 'preferred'> {
  readonly sensitivity: Sensitivity | null
}

export function answered<
  Asked extends AskedSetting,
  Found extends Scored,
  Listed extends Plan,
  None extends Omit<NoPlan, 'nearest'>,
>(
  searched: Searched<Asked, Found, Listed, None>,
  patience: Patience,
  crew: Crew = alone,
): Answered<Listed, None> {
  const { problem, positions, result, anyPlan } = searched
  const { candidates, onAll, unexamined } = result
  const onAllSeconds = onAll && searched.secondsOf(onAll)
  const plans = assembled(
    candidates,
    (found, rank) => withIdleChips(searched.planOf(found, rank), problem, onAllSeconds),
    patience(shares.plans),
    crew,
  )
  const [best] = candidates
  const [first = null] = plans
  const unlaunchable = searched.unlaunchable(first)
  const late = patience(shares.bound)()
  const bound = best ? searched.boundOf(best, late) : null
  const nothing = (): Nothing<Listed, None | NoPlan<never>> => {
    const stop = patience(shares.suggestions)
    const tried = (changed: Asked) => anyPlan(changed, stop)
    const told = underChips<Asked, Listed, None>(problem, searched.answerOn, tried)
    if (told) return told
    const unfit = searched.reasons(stop)
    return {
      infeasible: unlaunchable ? noLaunch(searched.assumed, searched.refused, unfit.suggestions) : unfit,
      unlaunchable,
    }
  }
  const told = !best && unexamined === 0 ? nothing() : { infeasible: null, unlaunchable }
  const search = searchAccount(
    result,
    first && best ? { stepTimeSeconds: first.stepTimeSeconds, score: best.score } : null,
    bound,
  )
  return {
    plans,
    unlaunchable: told.unlaunchable,
    search,
    sensitivity: best ? searched.sensitivityOf(best, late) : null,
    infeasible: told.infeasible,
    ...resolved(problem, positions),
    warnings: compact(
      cutText(search, plans.length > 0),
      unshown(candidates.length, plans.length),
      searched.warnings(first),
    ),
  }
}

export function resolved(setting: AskedSetting, positions: number): Resolved {
  const { cluster, precision, assumptions } = setting
  return { model: modelSummary(setting, positions), hardware: cluster, precision, assumptions }
}
