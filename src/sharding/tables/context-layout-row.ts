/** The columns of the table of context layouts: ways in which attention meets keys that the context axis shards. */
import type { Transformer } from '../../model/transformer.ts'
import type { ArrayKind } from '../array.ts'
import type { Mesh } from '../axis.ts'
import type { Einsum } from '../component.ts'

export interface ContextLayoutRow {
  readonly name: string
  /** The arrays and einsums inside attention, and how they are sharded. */
  readonly arrays: (heads: Heads) => AttentionArrays
  /**
   * Keys and values that a chip holds while attention runs: those of its own positions, as many for all positions of
   * fewer heads, or those of all positions.
   */
  readonly keys: 'own' | 'exchanged' | 'whole'
  /** Whether AllToAlls are all that it moves; bounds over all meshes do not count those. */
  readonly movesByAllToAll: boolean
  /** What the work under a causal mask is taken to be balanced over; null where all chips have the same positions. */
  readonly balancedOver: string | null
  /** What a mesh with a context axis must fulfil besides; null when nothing. */
  readonly needs: ContextNeeds | null
}

export interface ContextNeeds {
  readonly fits: (mesh: Mesh, model: Transformer) => boolean
  readonly says: (mesh: Mesh, model: Transformer) => string
}

/** Notation of a head's dimension for queries, keys and values: H, or wider ones in latent attention. */
export interface Heads {
  readonly query: string
  readonly key: string
  readonly value: string
}

export interface AttentionArrays {
  readonly activations: Readonly<Record<string, string>>
  /** Keys and values as the scores meet them; they have a kind of their own where they are passed on. */
  readonly keys: Readonly<Record<string, string>>
  readonly keysKind: ArrayKind
  readonly scores: string
  readonly einsums: readonly Einsum[]
  /** The names that the projections give their results. */
  readonly projected: { readonly query: string; readonly key: string; readonly value: string }
}
