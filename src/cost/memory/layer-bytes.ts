/** What layers and the ends of a model hold, as numbers (memory-numbers.ts works them out). */
import type { Bytes } from '../../units.ts'
import type { Composed } from '../compile/composed.ts'

/** Bytes per layer, and at the ends, of the candidates of one mesh, ZeRO stage and microbatch. */
export interface MemoryNumbers extends Composed<MemoryNumbers> {
  readonly layer: StateNumbers
  readonly embedding: StateNumbers
  readonly positions: StateNumbers
  readonly head: StateNumbers
  /** By policy: kept per layer and microbatch, and live beside that while a layer is recomputed. */
  readonly kept: readonly Bytes[]
  readonly live: readonly Bytes[]
  /** By policy: kept on the host, per layer and microbatch. */
  readonly host: readonly Bytes[]
  readonly stream: Bytes
  /** The operand of the projections and its gradient, gathered over tensor, beyond their shards. */
  readonly gatheredStream: Bytes
  readonly logits: Bytes
  /** Layers whose weights are gathered at once at most. */
  readonly layersGathered: number
  readonly reserve: Bytes
  /** Of the host's memory, a chip's share. */
  readonly hostRoom: Bytes
  readonly tied: boolean
  /** ZeRO shards the optimizer's states, over all copies of a weight. */
  readonly shardsOptimizer: boolean
  /** The policy that keeps everything, and so does least; -1 where it is not allowed. */
  readonly least: number
  /** By kind of layer where they are not alike, then by policy: kept per layer and microbatch. */
  readonly keptByKind?: readonly (readonly Bytes[])[]
}

export interface StateNumbers {
  readonly weights: Bytes
  readonly gradients: Bytes
  readonly optimizer: Bytes
  /** Of the optimizer's, what is in the host's memory instead. */
  readonly onHost: Bytes
  /** Gathered for use, beyond the shard. */
  readonly gathered: Bytes
  /** Gradients of one microbatch before they are scattered, beyond the shard. */
  readonly unscattered: Bytes
}
