/** One request, resolved: every name looked up, every default filled in, every number in SI units. */
import type { Assumptions } from './assumptions/assumptions.ts'
import type { RunBy } from './assumptions/run-by.ts'
import type { Constraints } from './constraint.ts'
import type { Cluster } from './hardware/cluster/cluster.ts'
import type { ClusterRequest } from './hardware/cluster/cluster-request.ts'
import type { Checkpoint } from './model/hugging-face/checkpoint.ts'
import type { WeightBlock } from './model/hugging-face/quantization.ts'
import type { Transformer } from './model/transformer.ts'
import type { ByPart } from './model/weight-parts.ts'
import type { RecipeRecord } from './plan/certainty/recipes.ts'
import type { Residuals } from './plan/certainty/residuals.ts'
import type { ElementType } from './recipe/element-types.ts'
import type { OptimizerName } from './recipe/optimizers.ts'
import type { ScheduleName } from './recipe/schedules.ts'
import type { Bytes } from './units.ts'

export interface Precision {
  readonly weights: ElementType
  readonly compute: ElementType
  readonly kvCache: ElementType
  readonly gradients: ElementType
  readonly optimizer: ElementType
  /** Bytes of a parameter by part of the model, where a checkpoint says more than the type of most weights: scales, parts left alone. */
  readonly parameterBytes?: ByPart
  /** Part of a weight that shares a scale, where a checkpoint quantises by blocks. */
  readonly weightBlock?: WeightBlock
  /** Name of the checkpoint that the weights are from, where it has one. */
  readonly checkpoint?: string
}

export interface TrainWorkload {
  readonly mode: 'train'
  /** Tokens of one global step; the number of sequences is this over their length, rounded up. */
  readonly batchTokens: number
  readonly sequenceLength: number
  readonly optimizer: OptimizerName
  /** Policies that may be used; all of them when absent. */
  readonly rematerialization?: readonly string[]
  /** Pipeline schedules that may be used; those of the assumptions when absent. */
  readonly schedules?: readonly ScheduleName[]
}

/** Prompts that pass through the model once: what a user waits for before the first token. */
export interface PrefillWorkload {
  readonly mode: 'prefill'
  readonly promptLength: number
  readonly batchSequences: number
  /** Positions whose keys and values are already cached. */
  readonly cachedPrefixLength: number
  /** New positions of a prompt that run in one pass; all of them when absent. */
  readonly chunkTokens?: number
  /** Most positions of a request, for one of which there has to be room alone; a prompt and a token when absent. */
  readonly contextLength?: number
}

/** A small model, or a head, drafts tokens that the model then verifies in one step. */
export interface Speculation {
  /** What drafts: a model, or something that takes this share of the time of a model step on one token. */
  readonly draft: Transformer | { readonly costRatio: number }
  /** Checkpoint of the model that drafts, where the request names one. */
  readonly release?: string
  /** Probability that a drafted token is accepted, given that those before it were. */
  readonly acceptance: number
  /** Tokens drafted in each step; the best number is chosen when absent. */
  readonly tokens?: number
}

/** The same where the number of drafts is known, as servers are told it once for all batches. */
export interface Drafted extends Speculation {
  readonly tokens: number
}

/** One token per step for each sequence of a batch, step after step. */
export interface GenerateWorkload {
  readonly mode: 'generate'
  /** Sequences resident at once, over all replicas and pipeline stages; or as many as memory holds. */
  readonly batchSequences: number | 'max'
  /** The most that run at once even if memory holds more, as servers are told. */
  readonly maxSequences?: number
  /** Positions for which the cache of one sequence has room. */
  readonly contextLength: number
  /** Positions that a sequence holds on average: those that are read and, with paged caches, those that are kept. */
  readonly meanContextLength: number
  readonly maxStepSeconds?: number
  readonly speculative?: Speculation
}

/** Requests that arrive at a rate and are to be answered in time. */
export interface ServeWorkload {
  readonly mode: 'serve'
  readonly promptLength: number
  readonly outputLength: number
  readonly requestsPerSecond?: number
  readonly maxTimeToFirstTokenSeconds?: number
  readonly maxTimePerOutputTokenSeconds?: number
  /** Most positions of a request; prompt and output, which are means, by default. */
  readonly contextLength?: number
  readonly disaggregated: boolean | 'auto'
  /** Share of each prompt whose keys and values are cached. */
  readonly cachedPrefixLength: number
  readonly speculative?: Drafted
}

/** Sequences of a step's batch, the last of which may be padded. */
export function wholeSequences({
  batchTokens,
  sequenceLength,
}: Pick<TrainWorkload, 'batchTokens' | 'sequenceLength'>): number {
  return Math.ceil(batchTokens / sequenceLength)
}

export type InferenceWorkload = PrefillWorkload | GenerateWorkload | ServeWorkload

/** `robust` is for training only: it ranks by what is lost where constants differ from what is assumed (plan/certainty/choice.ts). */
export const objectives = ['stepTime', 'throughputPerChip', 'costPerToken', 'latency', 'robust'] as const

export type Objective = (typeof objectives)[number]

/** The hardware of a request but for its chip. */
export type HardwareAsked = Omit<ClusterRequest, 'chip'>

/** What must differ between two plans for a list to show both (search/distinct.ts). */
export const distincts = ['family', 'mesh', 'layout'] as const

export type Distinct = (typeof distincts)[number]

/** What the cost of plans hangs on, beside the workload. */
export interface Setting {
  readonly model: Transformer
  readonly cluster: Cluster
  readonly memoryBudget: Bytes
  readonly precision: Precision
  /** Released checkpoints of the model, first the one that is taken when nobody asks for another; unknown when absent. */
  readonly checkpoints?: readonly Checkpoint[]
  readonly constraints: Constraints
  readonly assumptions: Assumptions
  /** How frameworks run that differ from the assumptions, where the request does not say how. */
  readonly runBy?: RunBy
  /** Where a request leaves it to its types how experts are run: other types of few bits in which that is otherwise, and the assumptions so. */
  readonly otherRecipe?: { readonly types: readonly ElementType[]; readonly assumptions: Assumptions }
  /** The assumptions of a request that says of the optimizer's states that they are on the host; no others than that follow from it when absent. */
  readonly statesOnHost?: Assumptions
  readonly objective: Objective
  /** How far predictions were off where somebody measured; an answer says nothing about that when absent. */
  readonly residuals?: Residuals
  /** Whether the request names the software that runs the plans, or how it runs experts; taken to when absent. */
  readonly namesSoftware?: boolean
  /** Whether the written plan is a launch file of a framework that is only read: what else could launch it is not asked; false when absent. */
  readonly runElsewhere?: boolean
}

/** Everything but the workload. */
export interface AskedSetting extends Setting {
  /** The cluster as the request states it, which suggestions change. */
  readonly asked: HardwareAsked
  readonly top: number
  /** What must differ between two plans for the list to show both; their meshes when absent. */
  readonly distinct?: Distinct
  /** Published training recipes. */
  readonly recipes?: readonly RecipeRecord[]
}

/** A problem of training. */
export interface Problem extends AskedSetting {
  readonly workload: TrainWorkload
}

/** Inference as it is costed, whoever asks for it. */
export interface InferenceRun<Workload extends InferenceWorkload = InferenceWorkload> extends Setting {
  readonly workload: Workload
}

export interface InferenceProblem<Workload extends InferenceWorkload = InferenceWorkload>
  extends AskedSetting,
    InferenceRun<Workload> {
  readonly workload: Workload
}

/** Inference of one phase. */
export type PrefillProblem = InferenceProblem<PrefillWorkload>
export type GenerateProblem = InferenceProblem<GenerateWorkload>
export type ServeProblem = InferenceProblem<ServeWorkload>

export type PhaseProblem = PrefillProblem | GenerateProblem
