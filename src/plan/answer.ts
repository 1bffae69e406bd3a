/** What an answer has beside its plans, and the answers of training. */

import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { Precision } from '../problem.ts'
import type { Change, PlanFault } from '../rules/part-rule.ts'
import type { Preferred } from './certainty/preferred.ts'
import type { ShownRecipe } from './certainty/recipes.ts'
import type { Plan } from './plan.ts'
import type { Elasticities } from './sensitivity/elasticities.ts'
import type { MemoryStep } from './sensitivity/memory-step.ts'

export interface SearchAccount {
  readonly enumerated: number
  readonly pruned: number
  readonly evaluated: number
  readonly infeasible: {
    readonly memory: number
    readonly divisibility: number
    readonly topology: number
    readonly constraint: number
  }
  /** What a search that had to stop has not looked at. */
  readonly unexamined: number
  /** No plan is faster. */
  readonly lowerBoundSeconds: number | null
  /** How much longer than that the best plan takes. */
  readonly gap: number | null
  /** Whether all was looked at that could be better. */
  readonly exact: boolean
}

export interface Sensitivity extends Elasticities {
  /** The quotient d log T / d log M up to `memoryStep`, 0 where there is none. */
  readonly memory: number
  readonly memoryStep: MemoryStep | null
}

export interface Suggestion {
  /** What to change, and to what. */
  readonly change: string
  readonly pointer: string
  readonly value: unknown
  readonly detail: string
  /** Further changes that go with it. */
  readonly also?: readonly Change[]
}

export interface NoPlan {
  readonly reasons: readonly { readonly reason: string; readonly detail: string; readonly layouts: number }[]
  readonly nearest: { readonly plan: Plan; readonly shortBytes: number } | null
  readonly suggestions: readonly Suggestion[]
}

/** The best plan of all, where it is better than any that is listed: no framework that is assumed can launch it. */
export interface Unlaunchable<Found, Reasons = Readonly<Record<string, readonly string[]>>> {
  readonly plan: Found
  /** How many times better: what plans are ranked by, of the first that is listed over this one's. Null where none is listed. */
  readonly advantage: number | null
  /** By framework, why it cannot launch the plan. */
  readonly reasons: Reasons
}

export interface ModelSummary {
  readonly name: string
  readonly parameters: number
  readonly activeParameters: number
  readonly trainFlopsPerToken: number
  readonly kvCacheBytesPerToken: number
}

export interface OptimizeAnswer {
  readonly plans: readonly Plan[]
  /** Of those that are tied with the first, what is simplest to run; null of a list of one, and where nothing is known of ties. */
  readonly preferred: Preferred | null
  /** What was published of this model on these chips, the nearest number of chips first. */
  readonly recipes: readonly ShownRecipe[]
  readonly unlaunchable: Unlaunchable<Plan> | null
  readonly search: SearchAccount
  readonly sensitivity: Sensitivity | null
  readonly infeasible: NoPlan | null
  readonly model: ModelSummary
  readonly hardware: Cluster
  readonly precision: Precision
  readonly assumptions: Assumptions
  readonly warnings: readonly string[]
}

export interface EvaluateAnswer {
  readonly plan: Plan
  /** Where the plan does not fit: changes with each of which it does. */
  readonly suggestions?: readonly Suggestion[]
  readonly model: ModelSummary
  readonly hardware: Cluster
  readonly precision: Precision
  readonly assumptions: Assumptions
  readonly warnings: readonly string[]
}

/** A sketch that no framework could run, as opposed to one that does not fit: data for a 422. */
export interface IllegalPlan {
  readonly illegal: readonly PlanFault[]
}
