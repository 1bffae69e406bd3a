/** A training plan as it is answered, with the field names of the HTTP contract: units in the names, SI throughout. */
import type { Assumptions } from '../assumptions/assumptions.ts'
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
  /** On a torus, the physical axes that carry it; behind switches, the tiers that a group spans (0 is the innermost). */
  readonly physical: readonly number[]
  readonly wraps: boolean
  /** On a torus, the number of chips of each physical axis in one group, and their distance. */
  readonly parts?: readonly { readonly physical: number; readonly size: number; readonly stride: number }[]
}

export interface CollectiveLine {
  readonly op: (typeof movements)[number]
  readonly over: string
  readonly array: string
  /** The whole array as the group sees it: gathered, or not yet reduced. */
  readonly bytes: number
  /** Calls per step on one chip. */
  readonly count: number
  /** Time of all `count` calls. */
  readonly seconds: number
  /** Whether it is on the critical path, as opposed to prefetchable. */
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
  /** Bytes in the host's memory, for the chip with the most there; not part of `total`. */
  readonly host: number
  /** Index of the fullest stage, which the account is for. */
  readonly stage: number
}

export interface TimeAccount {
  readonly compute: number
  readonly hbm: number
  /** Total by the axis that it moves over, as if collectives ran one after another. */
  readonly communication: Readonly<Record<Axis, number>>
  /** Moving arrays that are kept on the host there and back. */
  readonly hostTransfer: number
  readonly pipelineBubble: number
  readonly rematerialization: number
  readonly optimizer: number
  readonly overhead: number
  readonly exposedCommunication: number
}

/** What the memory-policy programme says of a plan that recomputes. */
export interface MemoryPolicyAccount {
  /** Whether no other mix of two policies is faster on this layout; null if it was not tested, as below rank 1. */
  readonly provenBest: boolean | null
  /** Step time with fractional numbers of layers under any number of policies. */
  readonly relaxedStepTimeSeconds: number
  /** How much one more byte of budget per chip would shorten the step. */
  readonly secondsPerByte: number
}

/** The exact partition of unequal layers into stages, beside the plan's own. */
export interface StagePartitionAccount {
  readonly stageLayers: readonly number[]
  /** Time of one microbatch on the longest stage: in this partition, and in the plan's own. */
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
  /** Chips that the mesh uses. */
  readonly chips: number
  /** Requested chips that are not used; MFU, costs and figures per chip still count them. */
  readonly idleChips: number
  readonly mesh: Mesh
  readonly placement: readonly AxisPlacement[]
  readonly layout: {
    readonly components: Readonly<Record<string, string>>
    readonly shardings: Readonly<Record<string, string>>
    /** The layer's algorithm in the book's notation, line by line. */
    readonly algorithm: readonly string[]
  }
  readonly zeroStage: number
  /** How attention reaches keys that are sharded over the context axis; null without that axis. */
  readonly contextLayout: ContextLayout | null
  readonly microbatches: number
  readonly microbatchTokens: number
  readonly pipelineSchedule: string
  readonly virtualStages: number
  readonly stageLayers: readonly number[]
  /** Null if all layers are alike, there is one stage, or a chip holds several pieces of the model. */
  readonly stagePartition: StagePartitionAccount | null
  readonly rematerialization: readonly { readonly policy: string; readonly layers: number }[]
  /** What this plan alone is costed with, if that differs from the assumptions of the request. */
  readonly costedWith?: Partial<
    Pick<
      Assumptions,
      'overlapPrefetched' | 'overlapCriticalPath' | 'userBuffers' | 'expertTensor' | 'residual'
    >
  >
  /** Null if everything is kept, arrays go to the host, the plan does not fit, or the solver gives no answer. */
  readonly memoryPolicy: MemoryPolicyAccount | null
  readonly stepTimeSeconds: number
  /** The lower and upper ends of `overlapSeconds` and of where nine of ten measured runs lay, whichever is further out. */
  readonly lowerBoundSeconds: number
  readonly upperBoundSeconds: number
  /** The step if all communication were hidden that can be, and if none were, with all else as predicted. */
  readonly overlapSeconds: readonly [allHidden: number, noneHidden: number]
  /** Where measured runs lay relative to their predictions; null if nothing was measured, and for the book's assumptions. */
  readonly uncertainty: Uncertainty | null
  /** Comparison with the first plan of its list; null for a plan outside of a list, or if nothing is known of differences. */
  readonly againstFirst: AgainstFirst | null
  /** How it does when constants are uncertain; null except for training with the objective `robust`. */
  readonly choice: Choice | null
  readonly mfu: number
  readonly hfu: number
  /** The peak that `mfu` and `hfu` refer to: that of the element type of matmuls. */
  readonly mfuPeak: { readonly type: ElementType; readonly flopsPerSecondPerChip: number }
  /** The same FLOPs relative to the bf16 peak, which compares plans with different types; null if the chip has no such peak. */
  readonly mfuOfBf16Peak: number | null
  readonly tokensPerSecond: number
  readonly tokensPerSecondPerChip: number
  /** Sequences per step: more than requested if microbatches and replicas do not divide these. */
  readonly globalBatchSequences: number
  readonly paddingFraction: number
  readonly timeSeconds: TimeAccount
  readonly memoryBytes: MemoryAccount
  readonly bottleneck: string
  /** The axis and the part of the network, if communication is the bottleneck. */
  readonly bottleneckDetail: { readonly axis: Axis | null; readonly network: string } | null
  readonly headroom: Headroom
  readonly collectives: readonly CollectiveLine[]
  readonly explanation: readonly string[]
  readonly launch: Readonly<Record<string, unknown>>
}

/** The same plan if every network had `networks` of its bandwidth, and if the fullest chip needed `memory` times as much. */
export interface Robustness {
  readonly networks: number
  readonly stepTimeSeconds: number
  readonly memory: number
  readonly fits: boolean
}

export interface Headroom {
  /** How many times slower networks could be before one of them binds a window (account/window.ts); null if nothing moves in any. */
  readonly communication: number | null
  /** Budget over what is on the fullest chip. */
  readonly memory: number
  /** The step time if the network that the plan leans on most had half its bandwidth. */
  readonly atHalfBandwidth: { readonly network: string; readonly stepTimeSeconds: number } | null
  readonly robustness: Robustness
}
