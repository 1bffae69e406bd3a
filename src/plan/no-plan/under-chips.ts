/**
 * Why nothing is listed if constraints forbid the use of all chips: the obstacle on the largest number of chips that is
 * allowed, and what would remove it. The rest of the question is the same on fewer chips, so that what helps there
 * helps here.
 */
import { compact } from '../../compact.ts'
import { satisfies } from '../../constraint.ts'
import { fewerChips } from '../../hardware/cluster/fewer-chips.ts'
import type { NoPlan, Suggestion, Unlaunchable } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'
import { constraintSuggestions } from './constraint-suggestions.ts'
import type { SizedSetting } from './larger-hardware.ts'
import { smallerSliceSuggestion } from './smaller-slice.ts'

/** Why nothing is listed, and the best plan of all if no framework launches it. */
export interface Nothing<Listed extends Plan, Told> {
  readonly infeasible: Told
  readonly unlaunchable: Unlaunchable<Listed> | null
}

/** Null if all chips may be used. */
export function underChips<
  Problem extends SizedSetting,
  Listed extends Plan,
  Told extends Omit<NoPlan, 'nearest'>,
>(
  problem: Problem,
  answerOn: (fewer: Problem) => Nothing<Listed, Told | NoPlan<never> | null>,
  anyPlan: (problem: Problem) => boolean,
): Nothing<Listed, Told | NoPlan<never>> | null {
  const { cluster, constraints } = problem
  if (satisfies(cluster.chips, constraints.chips)) return null
  const freed = compact(
    smallerSliceSuggestion(problem, (smaller) => anyPlan({ ...problem, cluster: smaller })),
    constraintSuggestions(problem, anyPlan, ['chips']),
  )
  for (const part of fewerChips(cluster)) {
    if (!satisfies(part.chips, constraints.chips)) continue
    const { infeasible: told, unlaunchable } = answerOn({
      ...problem,
      cluster: part,
      constraints: { ...constraints, chips: part.chips },
    })
    if (!told) break
    const helps = ({ pointer }: Suggestion) =>
      !pointer.startsWith('/hardware') && pointer !== '/constraints/chips'
    const suggestions = [...told.suggestions.filter(helps), ...freed]
    return { infeasible: { ...told, suggestions }, unlaunchable }
  }
  const detail = `no part of the ${counted(cluster.chips, 'chip')} has a size that constraints.chips allows and a layout that the other constraints allow`
  const reasons = [{ reason: 'constraint', detail, layouts: 1 }]
  return { infeasible: { reasons, nearest: null, suggestions: freed }, unlaunchable: null }
}
