/** What comes out, in the words of the HTTP contract: units in the names, SI throughout. */

import type { ElementType } from '../recipe/element-types.ts'
import type { Axis, Mesh } from '../sharding/axis.ts'
import type { movements, Pass } from '../sharding/move.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import type { TokenCost } from './account/token-cost.ts'
import type { Choice } from './certainty/choice.ts'
import type { AgainstFirst } from './certainty/ties.ts'
import type { Uncertainty } from './certainty/uncertainty.ts'

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
  /** Sequences that a step runs: more than were asked for where microbatches and replicas do not divide these. */
  readonly globalBatchSequences: number
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
