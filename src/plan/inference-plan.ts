/** Plans and answers for prefill, generation and serving, with the field names of the HTTP contract. */
import type { TokenCost } from './account/token-cost.ts'
import type { NoPlan, SearchAnswer, Sensitivity, Short } from './answer.ts'
import type { AgainstFirst } from './certainty/ties.ts'
import type { ServeUncertainty } from './certainty/uncertainty.ts'
import type { Infeasibility, Plan } from './plan.ts'

/**
 * A plan of one phase. Fields shared with a training plan mean the same; those that only training uses are empty (ZeRO,
 * rematerialisation, optimizer). `microbatches` are the groups in a pipeline at once; a step makes one token for every
 * sequence (generation), or passes all prompts (prefill).
 */
export interface InferencePlan extends Plan {
  /** Sequences resident at once, over all replicas and stages. */
  readonly batchSequences: number
  /** Tokens per second for one sequence. */
  readonly tokensPerSecondPerUser: number
  /** Lower bound of the step on these chips: reading weights and caches once at the full HBM bandwidth, or the FLOPs at peak. */
  readonly floorSeconds: number
  /** Parts of `timeSeconds.hbm` and `.compute`, each as if it ran alone. */
  readonly streaming: {
    readonly weightsSeconds: number
    readonly kvCacheSeconds: number
    readonly activationsSeconds: number
    readonly arithmeticSeconds: number
  }
  /** Resharding in one step between components with different layouts. */
  readonly reshardingSeconds: number
  /** Whether the component-layout programme proves that no other layouts are faster on this mesh and placement; null if it proves nothing. */
  readonly layoutProvenBest: boolean | null
  /** Copies of experts, beyond one of each, on the chips that divide the experts among them. */
  readonly redundantExperts: number
  /** Whether the batch runs in two halves, of which one computes while the other's tokens travel to experts or back. */
  readonly twoBatchOverlap: boolean
  /** Generation: the most sequences that fit with these layouts. */
  readonly maxBatchSequences?: number
  /** Generation: tokens per step from which arithmetic takes longer than streaming the weights. */
  readonly criticalBatchTokens?: number
  /** Prefill: the time until the last prompt has its first token. */
  readonly timeToFirstTokenSeconds?: number
  readonly speculation?: SpeculationAccount
}

export interface SpeculationAccount {
  readonly draftTokens: number
  /** Of drafting one token. */
  readonly draftSeconds: number
  readonly expectedTokensPerStep: number
  readonly stepSeconds: number
  readonly secondsPerToken: number
  /** Relative to the target model alone; below 1 the draft hurts. */
  readonly speedup: number
}

/** A point of the latency/cost frontier: its numbers, and enough of its plan to evaluate it again. */
export interface ParetoPoint
  extends Pick<
    InferencePlan,
    | 'id'
    | 'summary'
    | 'batchSequences'
    | 'stepTimeSeconds'
    | 'tokensPerSecondPerUser'
    | 'tokensPerSecondPerChip'
    | 'costPerMillionTokensUsd'
    | 'costedTokens'
  > {
  readonly chipSecondsPerToken: number
  /** Chips of one replica: the smallest deployment with this latency and cost. */
  readonly chips: number
  readonly plan: ParetoSketch
}

/** The plan's choices: /evaluate makes the point's plan of them. */
export interface ParetoSketch
  extends Pick<InferencePlan, 'mesh' | 'placement' | 'batchSequences' | 'microbatches'> {
  /** Layout name of each component. */
  readonly layout: Readonly<Record<string, string>>
}

export type InferenceNoPlan = NoPlan<Short<InferencePlan>>

export interface InferenceAnswer extends SearchAnswer<InferencePlan, InferenceNoPlan> {
  readonly sensitivity: Sensitivity | null
  /** Generation: latency against cost, only points that no other beats in both. */
  readonly pareto?: readonly ParetoPoint[]
}

/** One phase of a deployment: identical instances of one plan. */
export interface PhasePlan extends InferencePlan {
  readonly chips: number
  readonly chipsPerInstance: number
  readonly instances: number
  /** Torus slice of one instance; null behind switches. */
  readonly topology: readonly number[] | null
  readonly slices: number
  /** Fraction of its time that an instance is busy, at the requested rate or at the deployment's own. */
  readonly utilization: number
}

export interface ServePlan extends TokenCost {
  readonly rank: number
  readonly feasible: boolean
  /** Which limits of the request it misses. */
  readonly infeasible?: readonly Infeasibility[]
  readonly id: string
  readonly summary: string
  readonly disaggregated: boolean
  readonly chips: number
  /** Chips of the pool that are not used, if no rate is requested and the pool is to be filled. */
  readonly idleChips: number
  /** Sequences of a generate instance at once, including prompts being read; the limit that its server is given. */
  readonly maxSequences: number
  /** Sequences of mean lengths that have room at once, up to `maxSequences`. */
  readonly roomSequences: number
  /** Positions of the longest request that has room alone, up to `contextLength`; 0 if none has. */
  readonly longestPositions: number
  /**
   * Tokens of one step of a server that does both phases: one for each sequence that generates, and its drafts, the rest for prompts.
   * Null if the phases are apart.
   */
  readonly stepTokens: number | null
  /** Positions of the longest request. */
  readonly contextLength: number
  readonly prefill: PhasePlan
  readonly generate: PhasePlan
  /** Prefill instances per generate instance; 1 if each instance does both. */
  readonly ratio: number
  /** The rate that the deployment can sustain. */
  readonly requestsPerSecond: number
  /** Range of the rate, from published deployments. */
  readonly uncertainty: ServeUncertainty | null
  /** Comparison with the first deployment of its list; null outside of a list, or if nothing is known of differences. */
  readonly againstFirst: AgainstFirst | null
  readonly timeToFirstTokenSeconds: number
  readonly timePerOutputTokenSeconds: number
  /** Of a step that reads a chunk of prompts as well; null if the phases are apart. */
  readonly longestTokenSeconds: number | null
  readonly requestSeconds: number
  readonly tokensPerSecondPerChip: number
  readonly queueing: {
    readonly model: string
    readonly arrivalsPerSecond: number
    readonly waitSeconds: number
  }
  /** If the phases are apart: sending a prompt's keys and values from prefill to generation. */
  readonly kvTransfer: {
    readonly bytesPerRequest: number
    readonly seconds: number
    readonly streamedPerLayer: boolean
  } | null
  /** If both phases run on the same chips with different weight layouts: the cost of a second copy, or of moving the weights. */
  readonly secondLayout: {
    readonly copyBytesPerChip: number
    readonly reshardSeconds: number
  } | null
  readonly explanation: readonly string[]
  /** How to start the server if it does both phases; how to start the router in front of the instances if they are apart. */
  readonly launch: Readonly<Record<string, unknown>>
}

export interface ServeAnswer extends SearchAnswer<ServePlan, ServeNoPlan> {
  /**
   * The best deployment of the other kind than the first: phases together, or apart. Null if the request wants one kind,
   * none of the other will do, or there was no time to look.
   */
  readonly alternative: ServePlan | null
}

export type ServeNoPlan = NoPlan<{
  readonly plan: ServePlan
  /** By how much it is over its limits on time; 0 where it keeps them. */
  readonly shortSeconds: number
  /** By how much it is below the rate that is asked for; 0 where it keeps it. */
  readonly shortRequestsPerSecond: number
}>
