/** What comes out for prefill, generation and serving, in the words of the HTTP contract. */

import type { TokenCost } from './account/token-cost.ts'
import type { EvaluateAnswer, NoPlan, OptimizeAnswer, Unlaunchable } from './answer.ts'
import type { ServeUncertainty } from './certainty/uncertainty.ts'
import type { Infeasibility, Plan } from './plan.ts'

/**
 * A plan of one phase. Where a training plan has the same field it means the same; what only training has is empty:
 * no ZeRO, no rematerialisation, no optimizer. `microbatches` are the groups that a pipeline holds at once, the step is
 * one token further for all sequences (generation) or the whole of all prompts (prefill).
 */
export interface InferencePlan extends Plan {
  /** Sequences resident at once, over all replicas and stages. */
  readonly batchSequences: number
  /** The same for one user: tokens a second of one sequence. */
  readonly tokensPerSecondPerUser: number
  /** No plan on these chips can be faster: weights and caches once over all HBM, or the FLOPs at peak. */
  readonly floorSeconds: number
  /** Parts of `timeSeconds.hbm` and `.compute`, each as if alone. */
  readonly streaming: {
    readonly weightsSeconds: number
    readonly kvCacheSeconds: number
    readonly activationsSeconds: number
    readonly arithmeticSeconds: number
  }
  /** Resharding between the components' layouts, of one step. */
  readonly reshardingSeconds: number
  /** No other layouts of the components are faster on this mesh and placement: from the component-layout programme. */
  readonly layoutProvenBest: boolean | null
  /** Copies of experts, beyond one of each, on the chips that share them out. */
  readonly redundantExperts: number
  /** One half of the batch computes while the other's tokens are on their way to experts or back. */
  readonly twoBatchOverlap: boolean
  /** Generation: the most sequences that fit under these layouts. */
  readonly maxBatchSequences?: number
  /** Generation: tokens in a step from which arithmetic outlasts the streaming of weights. */
  readonly criticalBatchTokens?: number
  /** Prefill: what the last of the prompts waits for. */
  readonly timeToFirstTokenSeconds?: number
  readonly speculation?: SpeculationAccount
}

export interface SpeculationAccount {
  readonly draftTokens: number
  readonly expectedTokensPerStep: number
  readonly stepSeconds: number
  readonly secondsPerToken: number
  /** Over generation without drafts; below 1 it hurts. */
  readonly speedup: number
}

/** One point of the frontier: its numbers, and of its plan as much as gives them again. */
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

/** What was chosen: evaluated, it is the point's plan. */
export interface ParetoSketch
  extends Pick<InferencePlan, 'mesh' | 'placement' | 'batchSequences' | 'microbatches'> {
  /** By component. */
  readonly layout: Readonly<Record<string, string>>
}

export interface InferenceAnswer
  extends Omit<OptimizeAnswer, 'plans' | 'preferred' | 'recipes' | 'unlaunchable' | 'infeasible'> {
  readonly plans: readonly InferencePlan[]
  readonly unlaunchable: Unlaunchable<InferencePlan> | null
  readonly infeasible: InferenceNoPlan | null
  /** Generation: latency against cost, undominated points alone. */
  readonly pareto?: readonly ParetoPoint[]
}

export interface InferenceNoPlan extends Omit<NoPlan, 'nearest'> {
  readonly nearest: { readonly plan: InferencePlan; readonly shortBytes: number } | null
}

export interface InferenceEvaluation extends Omit<EvaluateAnswer, 'plan'> {
  readonly plan: InferencePlan
}

/** One phase of a deployment: instances of one plan. */
export interface PhasePlan extends InferencePlan {
  readonly chips: number
  readonly chipsPerInstance: number
  readonly instances: number
  /** The slice of one, on a torus; null behind switches. */
  readonly topology: readonly number[] | null
  readonly slices: number
  /** Share of its time that an instance works at the rate asked, or at the deployment's own. */
  readonly utilization: number
}

export interface ServePlan extends TokenCost {
  readonly rank: number
  readonly feasible: boolean
  /** Why not: what of the request's limits or of memory it misses. */
  readonly infeasible?: readonly Infeasibility[]
  readonly id: string
  readonly summary: string
  readonly disaggregated: boolean
  readonly chips: number
  /** Of the pool, where no rate is asked for and all of it is there to be filled. */
  readonly idleChips: number
  /** Of a generate instance at once, prompts that it reads among them: what its server is told as a limit. */
  readonly maxSequences: number
  /** Of a step of a server that does both: one of each sequence that generates, the others of prompts. Null where phases are apart. */
  readonly stepTokens: number | null
  /** Positions that the longest request may have. */
  readonly contextLength: number
  readonly prefill: PhasePlan
  readonly generate: PhasePlan
  /** Prefill instances per generate instance; 1 where one does both. */
  readonly ratio: number
  /** What the deployment can sustain. */
  readonly requestsPerSecond: number
  /** Where published rates lay of what was predicted for them. */
  readonly uncertainty: ServeUncertainty | null
  readonly timeToFirstTokenSeconds: number
  readonly timePerOutputTokenSeconds: number
  readonly requestSeconds: number
  readonly tokensPerSecondPerChip: number
  readonly queueing: {
    readonly model: string
    readonly arrivalsPerSecond: number
    readonly waitSeconds: number
  }
  /** Disaggregated: keys and values of a prompt go from prefill to generation. */
  readonly kvTransfer: {
    readonly bytesPerRequest: number
    readonly seconds: number
    readonly streamedPerLayer: boolean
  } | null
  /** Where both phases run on the same chips with weights in different layouts: what one set more, or moving it, costs. */
  readonly secondLayout: {
    readonly copyBytesPerChip: number
    readonly reshardSeconds: number
  } | null
  readonly explanation: readonly string[]
  /** Of a server that does both phases how it is started; of phases apart, what stands before them. */
  readonly launch: Readonly<Record<string, unknown>>
}

export interface ServeEvaluation extends Omit<EvaluateAnswer, 'plan'> {
  readonly plan: ServePlan
}

export interface ServeAnswer
  extends Omit<
    OptimizeAnswer,
    'plans' | 'preferred' | 'recipes' | 'unlaunchable' | 'infeasible' | 'sensitivity'
  > {
  readonly plans: readonly ServePlan[]
  readonly unlaunchable: Unlaunchable<ServePlan> | null
  readonly infeasible: ServeNoPlan | null
}

export interface ServeNoPlan extends Omit<NoPlan, 'nearest'> {
  readonly nearest: { readonly plan: ServePlan; readonly shortSeconds: number } | null
}
