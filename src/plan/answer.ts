/** What an answer contains beside its plans, and the answers for training. */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { InFile } from '../launch/in-file.ts'
import type { Setting } from '../problem.ts'
import type { Change, PlanFault } from '../rules/part-rule.ts'
import type { Tally } from '../search/tally.ts'
import type { Preferred } from './certainty/preferred.ts'
import type { ShownRecipe } from './certainty/recipes.ts'
import type { ModelSummary } from './explain/model-summary.ts'
import type { Plan } from './plan.ts'
import type { Elasticities } from './sensitivity/elasticities.ts'
import type { MemoryStep } from './sensitivity/memory-step.ts'

export interface SearchAccount extends Omit<Tally, 'floor'> {
  /** No plan can be faster than this; null if no bound is known. */
  readonly lowerBoundSeconds: number | null
  /** How much longer the best plan takes than `lowerBoundSeconds`, as a fraction. */
  readonly gap: number | null
  /** Whether every layout that could be better was looked at. */
  readonly exact: boolean
}

export interface Sensitivity extends Elasticities {
  /** d log T / d log M as a quotient between the budget and `memoryStep`; 0 if there is no such step. */
  readonly memory: number
  readonly memoryStep: MemoryStep | null
}

export interface Suggestion {
  /** What to change, in words; `value` goes to `pointer` of the request. */
  readonly change: string
  readonly pointer: string
  readonly value: unknown
  readonly detail: string
  /** Changes that have to be made together with it. */
  readonly also?: readonly Change[]
  /** Where the plan was a launch file: what the changes mean there. */
  readonly inFile?: InFile
}

export interface NoPlan<Nearest = Short<Plan>> {
  readonly reasons: readonly { readonly reason: string; readonly detail: string; readonly layouts: number }[]
  readonly nearest: Nearest | null
  readonly suggestions: readonly Suggestion[]
}

/** A plan that does not fit, and the memory that it lacks. */
export interface Short<Found> {
  readonly plan: Found
  readonly shortBytes: number
}

/** The best plan of all, if it is better than any that is listed but no assumed framework can launch it. */
export interface Unlaunchable<Found> {
  readonly plan: Found
  /** How many times better it is than the first listed plan, by what plans are ranked by; null if none is listed. */
  readonly advantage: number | null
  /** For each framework, why it cannot launch the plan. */
  readonly reasons: Readonly<Record<string, readonly string[]>>
}

/** The request with every name looked up. */
export interface Resolved extends Pick<Setting, 'precision' | 'assumptions'> {
  readonly model: ModelSummary
  /** As asked: no part of it, beside which chips stand idle. */
  readonly hardware: Omit<Cluster, 'idleChips' | 'idleBeside'>
}

/** What the answers of all searches have in common. */
export interface SearchAnswer<Found, None> extends Resolved {
  readonly plans: readonly Found[]
  /** The simplest to run of the plans that are tied with the first; null if fewer than two plans are listed, or nothing is known of ties. */
  readonly preferred: Preferred | null
  readonly unlaunchable: Unlaunchable<Found> | null
  readonly search: SearchAccount
  readonly infeasible: None | null
  readonly warnings: readonly string[]
}

export interface OptimizeAnswer extends SearchAnswer<Plan, NoPlan> {
  /** Published runs of this model on these chips: those of the same sequence length first, then the nearest in chips and length. */
  readonly recipes: readonly ShownRecipe[]
  readonly sensitivity: Sensitivity | null
}

export interface EvaluateAnswer<Found = Plan> extends Resolved {
  readonly plan: Found
  /** If the plan does not fit, changes that each make it fit. */
  readonly suggestions?: readonly Suggestion[]
  readonly warnings: readonly string[]
}

/** A written plan that is illegal, as opposed to one that does not fit; the API answers with status 422. */
export interface IllegalPlan {
  readonly illegal: readonly PlanFault[]
}
