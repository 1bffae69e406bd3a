/** What the layouts of one mesh take for one pass, as numbers (pass-numbers.ts computes them). */
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Offered } from '../layout/compiled-layout.ts'
import type { Course, Pass } from './pass.ts'

/** Memory that one layout of a component takes on a chip of a stage. */
export interface OptionBytes {
  /** Resident bytes: weights of the stage's layers and the caches that they keep. */
  readonly bytes: Bytes
  readonly workspace: Bytes
}

/** By component and layout. */
export type StageBytes = readonly (readonly OptionBytes[])[]

export interface PassNumbers {
  readonly mesh: Mesh
  readonly layouts: Offered
  /** Time of one layer, or of the head once, by component and layout. */
  readonly compute: readonly (readonly Seconds[])[]
  /** The course with the longest products first, each in its fastest layout. */
  readonly courses: readonly Course[]
  /** A bound that no placement and no choice of layouts beats: products alone. */
  readonly least: Seconds
  /** Memory of each stage that may hold the most, that which is likely to first. Worked out when it is asked for: floors need the time alone. */
  resident: readonly StageBytes[] | null
}

/** What runs through a stage at once takes this, by component and layout. Each is worked out when it is asked for, as floors need the time alone. */
export interface ShapeNumbers {
  compute: readonly (readonly Seconds[])[] | null
  workspace: readonly (readonly Bytes[])[] | null
}

/** By the sequences that run through at once, as a number where they are whole. */
export type BySequences = Map<number | string, ShapeNumbers>

/** Keyed by mesh and layouts, then by what else runs through them beside how many sequences. */
export type KnownShapes = Map<string, Map<string, BySequences>>

/** The numbers of the mesh, the layouts and the kind of pass that were asked for last. */
export interface LastShapes {
  mesh: Mesh | null
  layouts: Offered | null
  own: Map<string, BySequences>
  like: Pass | null
  ofLike: BySequences
}
