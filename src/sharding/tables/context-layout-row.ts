/** What there is to know of a way that attention meets keys which the context axis shards. */
import type { Transformer } from '../../model/transformer.ts'
import type { ArrayKind } from '../array.ts'
import type { Mesh } from '../axis.ts'
import type { Einsum } from '../component.ts'

export interface ContextLayoutRow {
  readonly name: string
  /** What lies how inside attention. */
  readonly arrays: (heads: Heads) => AttentionArrays
  /** Keys and values that a chip holds while attention runs: those of its positions, as many in all, or those of all positions. */
  readonly keys: 'own' | 'exchanged' | 'whole'
  /** All that it moves are AllToAlls, which bounds over all meshes do not count. */
  readonly movesByAllToAll: boolean
  /** What a causal mask's work is taken to be balanced over; null where all chips have the same positions. */
  readonly balancedOver: string | null
  /** What a mesh with a context axis must have beside. */
  readonly needs: ContextNeeds | null
}

export interface ContextNeeds {
  readonly fits: (mesh: Mesh, model: Transformer) => boolean
  readonly says: (mesh: Mesh, model: Transformer) => string
}

/** Dimensions of a head of queries and keys, and of values: H, or wider ones in latent attention. */
export interface Heads {
  readonly query: string
  readonly key: string
  readonly value: string
}

export interface AttentionArrays {
  readonly activations: Readonly<Record<string, string>>
  /** What is met from elsewhere: of a kind of its own where it is passed on. */
  readonly keys: Readonly<Record<string, string>>
  readonly keysKind: ArrayKind
  readonly scores: string
  readonly einsums: readonly Einsum[]
  /** The names that the projections give their results. */
  readonly projected: { readonly query: string; readonly key: string; readonly value: string }
}
