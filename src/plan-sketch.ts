/** Plans that a user wrote, of each mode: what is left out of them is chosen as the search would. */
import type { TorusPart } from './hardware/network/group.ts'
import type { ScheduleName } from './recipe/schedules.ts'
import type { Axis, Mesh } from './sharding/axis.ts'
import type { ContextLayout } from './sharding/tables/context-layouts.ts'
import type { Bytes } from './units.ts'

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
  /** For generation it replaces the workload's batch; for prefill it is the same. */
  readonly batchSequences?: number
  readonly cacheShare?: CacheShare
  /** Prompts through a pipeline: the most tokens that a stage takes at once, over all replicas. It takes as many as it may. */
  readonly stepTokens?: number
  /** Name of the layout by component: attention (or block, where attention and MLP are parallel), mlp, experts, unembedding. */
  readonly layout: Readonly<Record<string, string>>
}

/** Instances of one phase of a deployment that a user wrote; a mesh that is left out is chosen. */
export interface InstanceSketch extends Partial<Omit<InferenceSketch, 'layout' | 'stepTokens'>> {
  readonly layout?: InferenceSketch['layout']
  readonly instances?: number
  /** Shape of the slice that one instance has, on a torus. */
  readonly topology?: readonly number[]
  readonly slices?: number
}

/** A deployment that a user wrote: what is left out is chosen as the search would. */
export interface ServeSketch {
  /** Whether the two phases have chips of their own. */
  readonly disaggregated?: boolean
  readonly prefill?: InstanceSketch
  /** Its `batchSequences` follow from the load, and are not read. */
  readonly generate?: InstanceSketch
  /** Sequences in one generate instance at once, including prompts that it reads. It never runs more than fit in memory. */
  readonly maxSequences?: number
  /** Tokens of one step of a server that runs both phases: one for each sequence that generates, the others of prompts. */
  readonly stepTokens?: number
  /** Positions of the longest request. */
  readonly contextLength?: number
  readonly cacheShare?: CacheShare
}

/**
 * What a server gives of a chip's memory to weights and caches, what of it to all that it holds, or what to caches of what weights and activations
 * leave free; or the bytes of caches alone. Of the first two, and beside the last, `keptBytes` are the server's own.
 */
export interface CacheShare {
  readonly bytes?: Bytes
  readonly ofMemory?: number
  readonly ofChip?: number
  readonly ofFree?: number
  readonly keptBytes?: Bytes
}

/** Which physical axes (torus) serve a mesh axis, or which tiers it spans (switches); the other fields are as in an answer. */
export interface AxisPlacementSketch {
  readonly axis: Axis
  readonly physical: readonly number[]
  readonly on?: string
  readonly wraps?: boolean
  readonly parts?: readonly TorusPart[]
}
