import type { NetworkCosts } from '../../cost/communication/network.ts'
import type { Call } from '../../cost/compile/call.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Component } from '../../sharding/component.ts'
import type { LayoutFields } from '../../sharding/tables/inference-layout-fields.ts'
import type { LayerPart, Routed } from '../time/turns.ts'
import type { LocalSum, LocalTerm } from './local-term.ts'

export interface CompiledProduct {
  readonly kind: 'matmul' | 'attention' | 'scan'
  /** FLOPs of one chip; those of attention count every position of the context, and masked ones are taken off later. */
  readonly flops: LocalSum
  /** Bytes that one chip reads or writes: of weights, of caches and of activations. */
  readonly weights: LocalSum
  readonly caches: LocalSum
  readonly activations: LocalSum
  /** Share of the layers that run it: layers that read another layer's cache project no keys and values. */
  readonly share: number
  /** Whether this is attention that meets only the positions that an index chooses. */
  readonly chosen: boolean
  /** Where it stands in the turns of two halves. */
  readonly part: LayerPart
  /** Whether a kernel starts with it: matmuls of one input are one kernel, and those of experts are grouped, with a start of their own. */
  readonly starts: boolean
  /** Its number among the products of the component's layouts; -1 where these are not shared out yet. */
  readonly at: number
}

export interface CompiledCollective extends Call<LocalTerm> {
  /** The bytes of all its arrays. */
  readonly moved: LocalSum
}

export interface CompiledLayout extends LayoutFields {
  readonly component: Component
  /** Notation of how the residual stream is sharded as the component takes it in and gives it out. */
  readonly into: string
  readonly out: string
  readonly products: readonly CompiledProduct[]
  readonly collectives: readonly CompiledCollective[]
  /** Bytes on one chip of one layer's weights as stored, and of one layer's own cache. */
  readonly stored: LocalSum
  readonly cached: LocalSum
  /** Sets of bytes that are live at once while it runs, of which the largest counts (live-sets.ts). */
  readonly live: readonly LocalSum[]
  /** Bytes that kernels between products stream: norms, residual sums, activation functions, rotary embeddings, casts of rows of experts. */
  readonly elementwise: LocalSum
}

/** The collectives of dispatch, or those of combine. */
export function routedOf({ collectives }: CompiledLayout, way: keyof Routed): readonly CompiledCollective[] {
  return collectives.filter(({ routed, moves }) => routed && moves.every(({ kind }) => kind === way))
}

export function unroutedOf({ collectives }: CompiledLayout): readonly CompiledCollective[] {
  return collectives.filter(({ routed }) => !routed)
}

/** Layouts that a mesh may choose from, by component. */
export type Offered = readonly (readonly CompiledLayout[])[]

/** The offer of these alone, one for each component. */
export function only(layouts: readonly CompiledLayout[]): Offered {
  return layouts.map((layout) => [layout])
}

/** Whether there is nothing to choose: each component has one layout. */
export function isOnly(offered: Offered): boolean {
  return offered.every(({ length }) => length === 1)
}

/** The layouts of a choice, which has the index of each component's. */
export function chosenOf(offered: Offered, chosen: readonly number[]): readonly CompiledLayout[] {
  return chosen.flatMap((option, component) => offered[component]?.[option] ?? [])
}

/** The names of all layouts of an offer. */
export function offeredText(offered: Offered): string {
  return offered.map((options) => options.map(({ name }) => name).join()).join(';')
}

/** A mesh, the prices of its groups, and the layouts that its components may have. */
export interface PricedMesh {
  readonly mesh: Mesh
  readonly costs: NetworkCosts
  readonly offered: Offered
}
