/** What the layouts of one mesh take for one pass, as numbers (pass-numbers.ts computes them). */
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { CompiledCollective, CompiledLayout } from '../layout/compiled-layout.ts'

/** Memory that one layout of a component takes. */
export interface OptionBytes {
  /** Resident bytes: weights of the stage's layers and the caches that they keep. */
  readonly bytes: Bytes
  readonly workspace: Bytes
}

export interface OptionNumbers extends OptionBytes {
  /** Time of one layer, or of the head once. */
  readonly compute: Seconds
}

/** Memory by component and layout, and the part that is the same for all. */
export interface ResidentNumbers {
  readonly options: readonly (readonly OptionBytes[])[]
  readonly fixed: Bytes
}

export interface PassNumbers extends ResidentNumbers {
  readonly mesh: Mesh
  readonly layouts: readonly (readonly CompiledLayout[])[]
  /** By component and layout. */
  readonly options: readonly (readonly OptionNumbers[])[]
  /** A bound that no placement and no choice of layouts beats: products alone. */
  readonly least: Seconds
  /** Bytes of a collective as the group sees them, for the layers or for the head. */
  readonly moved: (collective: CompiledCollective, head: boolean) => Bytes
}
