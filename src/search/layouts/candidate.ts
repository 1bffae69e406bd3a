/** A layout with everything chosen, and its score. */

import type { Mix } from '../../cost/memory/stage-memory.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface Layout {
  /** The chips that it runs on: all of the request's, or a part of them. */
  readonly cluster: Cluster
  readonly mesh: Mesh
  readonly zeroStage: ZeroStage
  readonly contextLayout: ContextLayout
  readonly microbatches: number
  /** Sequences of one microbatch, over all replicas. */
  readonly sequences: number
  readonly schedule: Schedule
  /** Number of layers by stage. */
  readonly stageLayers: readonly number[]
  readonly groups: readonly StageGroup[]
}

/** A layout whose layers are not cut into stages yet. */
export type OpenLayout = Omit<Layout, 'stageLayers' | 'groups'>

export interface Candidate extends Layout {
  readonly placement: Placement
  readonly mix: Mix
  readonly score: number
}

/** What may be listed. It is asked of a mesh, of its layouts and of a cut, and says no when no plan of it may be listed. */
export interface Accepts {
  /** Whether a plan with two such rematerialisation policies may be listed, whatever the number of layers of each: many numbers are asked for of a pair. */
  readonly mixes: (pair: Pick<Mix, 'policy' | 'other'>) => boolean
  /** The only sizes that a context axis may have, whatever else a mesh has; null when it may have any. */
  readonly contexts: readonly number[] | null
  /** Which layouts of a mesh may be listed; null when none may. */
  readonly mesh: (mesh: Mesh) => AcceptsLayout | null
  /** Asked of the layers by stage alone, before anything is known of them. */
  readonly cut: (cut: Pick<Layout, 'stageLayers'>) => boolean
  /** The placements that may be listed; null when any may. */
  readonly placements: (mesh: Mesh) => readonly Placement[] | null
  /** Which plans of a cut may be listed; null when none may. */
  readonly plans: (layout: Layout) => AcceptsPlan | null
}

/** Whether a layout of a mesh may be listed, as far as is known before it is cut. */
export type AcceptsLayout = (layout: OpenLayout) => boolean

/** Whether a plan may be listed; it looks no further into a placement than the order of ranks, or how axes cross slices. */
export type AcceptsPlan = (placement: Placement, mix: Mix) => boolean

/** A layout that fits nowhere, under the policy that takes the least memory. */
export interface Misfit extends Layout {
  readonly mix: Mix
  readonly shortBytes: Bytes
}

/**
 * What candidates are ranked by: the expected time, plus a billionth of the time without any overlap, which orders
 * plans that tie because all of their communication is hidden.
 */
export function score(expected: Seconds, upper: Seconds): number {
  return expected + 1e-9 * upper
}
