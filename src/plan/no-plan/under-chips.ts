/**
 * Why nothing is listed if constraints forbid the use of all chips: the obstacle on the largest number of chips that is
 * allowed, and what would remove it. The rest of the question is the same on fewer chips, so that what helps there
 * helps here.
 */
import { type Constraints, satisfies } from '../../constraint.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { fewerChips } from '../../hardware/cluster/fewer-chips.ts'
import type { NoPlan, Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import { constraintSuggestions } from './constraint-suggestions.ts'

interface Asked {
  readonly cluster: Cluster
  readonly constraints: Constraints
}

/** Null if all chips may be used. */
export function underChips<Problem extends Asked, Told extends Omit<NoPlan, 'nearest'>>(
  problem: Problem,
  toldOf: (fewer: Problem) => Told | null,
  anyPlan: (problem: Problem) => boolean,
): Told | NoPlan<never> | null {
  const { cluster, constraints } = problem
  if (satisfies(cluster.chips, constraints.chips)) return null
  const freed = constraintSuggestions(problem, anyPlan, ['chips'])
  for (const part of fewerChips(cluster)) {
    if (!satisfies(part.chips, constraints.chips)) continue
    const told = toldOf({ ...problem, cluster: part, constraints: { ...constraints, chips: part.chips } })
    if (!told) break
    const helps = ({ pointer }: Suggestion) =>
      !pointer.startsWith('/hardware') && pointer !== '/constraints/chips'
    return { ...told, suggestions: [...told.suggestions.filter(helps), ...freed] }
  }
  const detail = `no part of the ${counted(cluster.chips, 'chip')} has a size that constraints.chips allows and a layout that the other constraints allow`
  return { reasons: [{ reason: 'constraint', detail, layouts: 1 }], nearest: null, suggestions: freed }
}
