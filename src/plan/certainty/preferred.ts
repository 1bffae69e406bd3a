/**
 * Of the plans that are tied with the first, the one that a practitioner would take. Preferences are tables, one for
 * layouts and one for deployments, the most important first; the next one decides if all before are equal, and finally
 * the place in the list.
 */
import type { AgainstFirst } from './ties.ts'

export interface Preferred {
  /** Position of the plan in the list. */
  readonly rank: number
  readonly id: string
  /** Number of tied plans, including the first. */
  readonly among: number
  /** Whether more may be tied than are listed: the list is as long as was asked for, and its last is tied. */
  readonly more: boolean
  /** Why it is preferred to the first plan; empty if it is the first. */
  readonly reasons: readonly string[]
}

interface Compared {
  readonly rank: number
  readonly id: string
  readonly againstFirst: AgainstFirst | null
}

export interface Preference<Plan> {
  /** Higher is better. */
  readonly of: (plan: Plan) => number
  /** Says so of a plan beside the first. */
  readonly says: (own: number, other: number, first: Plan) => string
}

/** The preferred plan itself: the first where none is. */
export function preferredPlan<Plan extends { readonly rank: number }>({
  plans,
  preferred,
}: {
  readonly plans: readonly Plan[]
  readonly preferred: Preferred | null
}): Plan | null {
  return plans.find(({ rank }) => rank === preferred?.rank) ?? plans[0] ?? null
}

/** Null if fewer than two plans are listed, or nothing is known of ties. */
export function preferredOf<Plan extends Compared>(
  plans: readonly Plan[],
  preferences: readonly Preference<Plan>[],
  top: number,
): Preferred | null {
  const tied = plans.filter(({ againstFirst }) => againstFirst?.tied)
  const [first] = tied
  if (!first || plans.length < 2) return null
  const best = tied.reduce((kept, plan) => (decisive(plan, kept, preferences) > 0 ? plan : kept))
  const reasons = preferences.flatMap(({ of, says }) => {
    const [own, other] = [of(best), of(first)]
    return own > other ? [says(own, other, first)] : []
  })
  const more = plans.length >= top && plans.at(-1)?.againstFirst?.tied === true
  return { rank: best.rank, id: best.id, among: tied.length, more, reasons }
}

/** Positive if `one` is preferred, by the first preference in which the two differ. */
function decisive<Plan>(one: Plan, other: Plan, preferences: readonly Preference<Plan>[]): number {
  for (const { of } of preferences) {
    const apart = of(one) - of(other)
    if (apart !== 0) return apart
  }
  return 0
}
