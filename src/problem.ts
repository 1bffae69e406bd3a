/** One request, resolved: every name looked up, every default filled in, every number in SI units. */

import type { Assumptions } from './assumptions/assumptions.ts'
import type { RunBy } from './assumptions/run-by.ts'
import type { Cluster } from './hardware/cluster/cluster.ts'
import type { ClusterRequest } from './hardware/cluster/cluster-request.ts'
import type { TorusPart } from './hardware/network/group.ts'
import type { Checkpoint } from './model/hugging-face/checkpoint.ts'
import type { Transformer } from './model/transformer.ts'
import type { ByPart } from './model/weight-parts.ts'
import type { RecipeRecord } from './plan/certainty/recipes.ts'
import type { Residuals } from './plan/certainty/residuals.ts'
import type { ElementType } from './recipe/element-types.ts'
import type { OptimizerName } from './recipe/optimizers.ts'
import type { ScheduleName } from './recipe/schedules.ts'
import type { Axis, Mesh } from './sharding/axis.ts'
import type { ContextLayout } from './sharding/tables/context-layouts.ts'

import type { Bytes } from './units.ts'

export interface Precision {
  readonly weights: ElementType
  readonly compute: ElementType
  readonly kvCache: ElementType
  readonly gradients: ElementType
  readonly optimizer: ElementType
  /** Bytes of a parameter by part, where a checkpoint says more than the type of most weights: scales, parts left alone. */
  readonly parameterBytes?: ByPart
  /** The checkpoint that weights are those of, where it has a name. */
  readonly checkpoint?: string
}

export interface TrainWorkload {
  readonly mode: 'train'
  /** Tokens of one global step; sequences are these over the length, rounded up. */
  readonly batchTokens: number
  readonly sequenceLength: number
  readonly optimizer: OptimizerName
  /** Policies that may be used; all where absent. */
  readonly rematerialization?: readonly string[]
  /** Pipeline schedules that may be used; those of the assumptions where absent. */
  readonly schedules?: readonly ScheduleName[]
}

/** Prompts through the model once: what a user waits for before the first token. */
export interface PrefillWorkload {
  readonly mode: 'prefill'
  readonly promptLength: number
  readonly batchSequences: number
  /** Positions whose keys and values are there already. */
  readonly cachedPrefixLength: number
  /** New positions of a prompt that run at once; all of them where absent. */
  readonly chunkTokens?: number
}

/** A small model, or a head, drafts tokens that the model then verifies in one step. */
export interface Speculation {
  /** Time of drafting one token, as a share of one step of the model at one token. */
  readonly draftCostRatio: number
  /** Chance that a drafted token stands, given that those before it do. */
  readonly acceptance: number
  /** Tokens drafted; the best number where absent. */
  readonly tokens?: number
}

/** One token for each of a batch of sequences, again and again. */
export interface GenerateWorkload {
  readonly mode: 'generate'
  /** Sequences resident at once, over all replicas and pipeline stages; or as many as memory holds. */
  readonly batchSequences: number | 'max'
  /** Positions that a sequence's cache has room for. */
  readonly contextLength: number
  /** Positions that it holds on average: what is read, and with paged caches what is kept. */
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
  readonly disaggregated: boolean | 'auto'
  /** Share of each prompt whose keys and values are cached. */
  readonly cachedPrefixLength: number
}

export type InferenceWorkload = PrefillWorkload | GenerateWorkload | ServeWorkload

/** What a size may be: one number, one of several, or a range (inclusive). */
export type Constraint = number | readonly number[] | { readonly min?: number; readonly max?: number }

/** `chips` are those that a plan uses: any number up to those there are where it is absent. */
export type Constraints = Readonly<
  Partial<Record<Axis | 'chips' | 'zeroStage' | 'microbatches' | 'virtualStages', Constraint>>
>

/** `robust` is of training: by what is lost where constants are not what is assumed (plan/certainty/choice.ts). */
export type Objective = 'stepTime' | 'throughputPerChip' | 'costPerToken' | 'latency' | 'robust'

/** The hardware of a request but for its chip. */
export type HardwareAsked = Omit<ClusterRequest, 'chip'>

/** What of the plans a list tells apart (search/distinct.ts). */
export const distincts = ['family', 'mesh', 'layout'] as const

export type Distinct = (typeof distincts)[number]

/** Everything but the workload. */
export interface Setting {
  readonly model: Transformer
  readonly cluster: Cluster
  /** What the request says of the cluster: what suggestions change. */
  readonly asked: HardwareAsked
  readonly memoryBudget: Bytes
  readonly precision: Precision
  /** What is released of the model, the first for want of another wish; unknown where absent. */
  readonly checkpoints?: readonly Checkpoint[]
  readonly constraints: Constraints
  readonly assumptions: Assumptions
  /** Of frameworks that run otherwise than is assumed where nobody says how: how they do. */
  readonly runBy?: RunBy
  readonly objective: Objective
  readonly top: number
  /** What of the plans a list tells apart: meshes where absent. */
  readonly distinct?: Distinct
  /** How far off predictions were where somebody measured; nothing is said of that where absent. */
  readonly residuals?: Residuals
  /** What was published of training. */
  readonly recipes?: readonly RecipeRecord[]
}

/** A problem of training. */
export interface Problem extends Setting {
  readonly workload: TrainWorkload
}

export interface InferenceProblem<Workload extends InferenceWorkload = InferenceWorkload> extends Setting {
  readonly workload: Workload
}

/** Inference of one phase. */
export type PhaseProblem = InferenceProblem<PrefillWorkload> | InferenceProblem<GenerateWorkload>

/** A plan that a user wrote: what is left out is chosen as the search would. */
export interface PlanSketch {
  readonly mesh: Mesh
  readonly placement?: readonly AxisPlacementSketch[]
  readonly zeroStage?: number
  readonly contextLayout?: ContextLayout
  readonly microbatches?: number
  readonly microbatchTokens?: number
  readonly pipelineSchedule?: ScheduleName
  readonly virtualStages?: number
  /** Layers by stage; one of the cuts that the search tries. */
  readonly stageLayers?: readonly number[]
  /** One policy for all layers, or layers by policy (at most two policies). */
  readonly rematerialization?: string | readonly { readonly policy: string; readonly layers: number }[]
}

/** A plan of inference that a user wrote: one mesh, and the layouts of the components that they care about. */
export interface InferenceSketch
  extends Pick<PlanSketch, 'mesh' | 'placement' | 'microbatches' | 'microbatchTokens'> {
  /** Of generation it stands in for the workload's; of prefill it is the same. */
  readonly batchSequences?: number
  /** By component: attention (or block, where attention and MLP are parallel), mlp, experts, unembedding. */
  readonly layout: Readonly<Record<string, string>>
}

/** Instances of one phase of a deployment that a user wrote; a mesh that is left out is chosen. */
export interface InstanceSketch extends Partial<Omit<InferenceSketch, 'layout'>> {
  readonly layout?: InferenceSketch['layout']
  readonly instances?: number
  /** The slice that one has, on a torus. */
  readonly topology?: readonly number[]
  readonly slices?: number
}

/** A deployment that a user wrote: what is left out is chosen as the search would. */
export interface ServeSketch {
  /** Whether phases have chips of their own. */
  readonly disaggregated?: boolean
  readonly prefill?: InstanceSketch
  /** Its batch follows from the load, and is not read. */
  readonly generate?: InstanceSketch
  /** Of a generate instance at once, prompts that it reads among them: more than there is memory for never run. */
  readonly maxSequences?: number
  /** Of one step of a server that does both: one of each sequence that generates, the others of prompts. */
  readonly stepTokens?: number
  /** Positions of the longest request. */
  readonly contextLength?: number
}

/** Which physical axes (torus) serve a mesh axis, or which tiers it spans (switches); the rest as an answer says it. */
export interface AxisPlacementSketch {
  readonly axis: Axis
  readonly physical: readonly number[]
  readonly on?: string
  readonly wraps?: boolean
  readonly parts?: readonly TorusPart[]
}

export function satisfies(value: number, constraint: Constraint | undefined): boolean {
  if (constraint === undefined) return true
  if (typeof constraint === 'number') return value === constraint
  if (isList(constraint)) return constraint.includes(value)
  return value >= (constraint.min ?? 0) && value <= (constraint.max ?? Number.POSITIVE_INFINITY)
}

/** The least number that satisfies it. */
export function leastOf(constraint: Constraint): number {
  if (typeof constraint === 'number') return constraint
  return isList(constraint) ? Math.min(...constraint) : (constraint.min ?? 1)
}

function isList(constraint: Constraint): constraint is readonly number[] {
  return Array.isArray(constraint)
}
