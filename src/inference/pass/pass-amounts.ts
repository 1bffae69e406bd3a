/** What the layouts of one mesh take for one pass, as numbers (pass-numbers.ts works them out). */
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { CompiledCollective, CompiledLayout } from '../layout/compiled-layout.ts'

/** What an option has in memory. */
export interface OptionBytes {
  /** Resident: weights of the stage's layers and what they keep. */
  readonly bytes: Bytes
  readonly workspace: Bytes
}

export interface OptionNumbers extends OptionBytes {
  /** Of one layer, or of the head once. */
  readonly compute: Seconds
}

/** By component and option, and what is the same for all. */
export interface ResidentNumbers {
  readonly options: readonly (readonly OptionBytes[])[]
  readonly fixed: Bytes
}

export interface PassNumbers extends ResidentNumbers {
  readonly mesh: Mesh
  readonly layouts: readonly (readonly CompiledLayout[])[]
  /** By component and option. */
  readonly options: readonly (readonly OptionNumbers[])[]
  /** No placement and no choice of layouts is faster: products alone. */
  readonly least: Seconds
  /** Bytes as the group sees them, by collective: of the layers, and of the head. */
  readonly moved: (collective: CompiledCollective, head: boolean) => Bytes
}
