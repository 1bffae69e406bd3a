/** What comes out, in the words of the HTTP contract: units in the names, SI throughout. */

import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { Precision } from '../problem.ts'
import type { ElementType } from '../recipe/element-types.ts'
import type { Change, PlanFault } from '../rules/part-rule.ts'
import type { Axis, Mesh } from '../sharding/axis.ts'
import type { movements, Pass } from '../sharding/move.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import type { TokenCost } from './account/token-cost.ts'
import type { Choice } from './certainty/choice.ts'
import type { Preferred } from './certainty/preferred.ts'
import type { Recipe } from './certainty/recipes.ts'
import type { AgainstFirst } from './certainty/ties.ts'
import type { Uncertainty } from './certainty/uncertainty.ts'
import type { Elasticities } from './sensitivity/elasticities.ts'
import type { MemoryStep } from './sensitivity/memory-step.ts'

export interface AxisPlacement {
  readonly axis: Axis
  /** `ici` or `dcn` on a torus; the name of the outermost tier that a group spans on a switched network. */
  readonly on: string
  /** Torus: the physical axes that carry it. Switched: the tiers that a group spans, innermost 0. */
  readonly physical: readonly number[]
  readonly wraps: boolean
  /** Torus: how many chips of each physical axis belong to one group, and their distance. */
  readonly parts?: readonly { readonly physical: number; readonly size: number; readonly stride: number }[]
}

export interface CollectiveLine {
  readonly op: (typeof movements)[number]
  readonly over: string
  readonly array: string
  /** The whole array as the group sees it, gathered or not yet reduced. */
  readonly bytes: number
  /** Times per step on one chip. */
  readonly count: number
  /** Of all of them, per step. */
  readonly seconds: number
  /** On the critical path, rather than prefetchable. */
  readonly exposed: boolean
  readonly pass: Pass
}

export interface MemoryAccount {
  readonly budget: number
  readonly total: number
  readonly parameters: number
  readonly gradients: number
  readonly optimizer: number
  readonly activations: number
  readonly kvCache: number
  readonly workspace: number
  readonly reserve: number
  /** In the host's memory, of the chip that has most there; not in the total. */
  readonly host: number
  /** The stage that the account is of: the fullest. */
  readonly stage: number
}

export interface TimeAccount {
  readonly compute: number
  readonly hbm: number
  /** All of it by the axis that it moves over, one collective after another. */
  readonly communication: Readonly<Record<Axis, number>>
  /** Arrays that are kept on the host, there and back. */
  readonly hostTransfer: number
  readonly pipelineBubble: number
  readonly rematerialization: number
  readonly optimizer: number
  readonly overhead: number
  readonly exposedCommunication: number
}

/** Of a plan that recomputes: from the memory-policy programme. */
export interface MemoryPolicyAccount {
  /** No other mix of two policies is faster on this layout; null where it was not asked, below rank 1. */
  readonly provenBest: boolean | null
  /** What layers in real numbers, of any policies, would reach. */
  readonly relaxedStepTimeSeconds: number
  /** What one more byte of budget per chip would take off the step. */
  readonly secondsPerByte: number
}

/** The exact cut of layers that differ, beside the plan's own. */
export interface StagePartitionAccount {
  readonly stageLayers: readonly number[]
  /** One microbatch through the longest stage: of this cut, and of the plan's own. */
  readonly longestStageSeconds: number
  readonly evenLongestStageSeconds: number
}

export interface Infeasibility {
  readonly reason: string
  readonly pointer: string
  readonly detail: string
  readonly shortBytes?: number
}

export interface Plan extends TokenCost {
  readonly rank: number
  readonly feasible: boolean
  readonly infeasible?: readonly Infeasibility[]
  readonly id: string
  readonly summary: string
  /** Those that the mesh takes. */
  readonly chips: number
  /** Of those asked for, the others: figures per chip, MFU and costs count them as well. */
  readonly idleChips: number
  readonly mesh: Mesh
  readonly placement: readonly AxisPlacement[]
  readonly layout: {
    readonly components: Readonly<Record<string, string>>
    readonly shardings: Readonly<Record<string, string>>
    /** The layer's algorithm in the book's notation, a line each. */
    readonly algorithm: readonly string[]
  }
  readonly zeroStage: number
  /** How attention meets keys that are sharded over context; null without that axis. */
  readonly contextLayout: ContextLayout | null
  readonly microbatches: number
  readonly microbatchTokens: number
  readonly pipelineSchedule: string
  readonly virtualStages: number
  readonly stageLayers: readonly number[]
  /** Null where layers are alike or each stage is in pieces. */
  readonly stagePartition: StagePartitionAccount | null
  readonly rematerialization: readonly { readonly policy: string; readonly layers: number }[]
  /** Null where everything is kept, or no solver answered. */
  readonly memoryPolicy: MemoryPolicyAccount | null
  readonly stepTimeSeconds: number
  readonly lowerBoundSeconds: number
  readonly upperBoundSeconds: number
  /** Where measured runs lay of what was predicted for them; null where nobody measured, and of the book's arithmetic. */
  readonly uncertainty: Uncertainty | null
  /** How it stands to the first of its list; null of what stands in none, and where nothing is known of differences. */
  readonly againstFirst: AgainstFirst | null
  /** How it stands where constants are uncertain: of training under the objective `robust`, else null. */
  readonly choice: Choice | null
  readonly mfu: number
  readonly hfu: number
  /** The peak of a chip that `mfu` and `hfu` are shares of: that of the type that matmuls run in. */
  readonly mfuPeak: { readonly type: ElementType; readonly flopsPerSecondPerChip: number }
  /** The same FLOPs as a share of the bf16 peak, which compares plans in different types; null where a chip has none. */
  readonly mfuOfBf16Peak: number | null
  readonly tokensPerSecond: number
  readonly tokensPerSecondPerChip: number
  readonly paddingFraction: number
  readonly timeSeconds: TimeAccount
  readonly memoryBytes: MemoryAccount
  readonly bottleneck: string
  /** Which axis, and which part of the network, where the bottleneck is communication. */
  readonly bottleneckDetail: { readonly axis: Axis | null; readonly network: string } | null
  readonly headroom: Headroom
  readonly collectives: readonly CollectiveLine[]
  readonly explanation: readonly string[]
  readonly launch: Readonly<Record<string, unknown>>
}

/** The same plan where every network has `networks` of its bandwidth, and where the fullest chip holds `memory` times as much. */
export interface Robustness {
  readonly networks: number
  readonly stepTimeSeconds: number
  readonly memory: number
  readonly fits: boolean
}

export interface Headroom {
  /** Time in kernels over the time that the busiest network is busy; null where nothing moves. */
  readonly communication: number | null
  /** The budget over what is on the fullest chip. */
  readonly memory: number
  /** The step of this plan, had its busiest network half of its bandwidth. */
  readonly atHalfBandwidth: { readonly network: string; readonly stepTimeSeconds: number } | null
  readonly robustness: Robustness
}

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
  readonly recipes: readonly Recipe[]
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
