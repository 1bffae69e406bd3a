/** What the layers and the ends of a model hold, in bytes (memory-numbers.ts computes them). */
import type { Bytes } from '../../units.ts'
import type { Composed } from '../compile/composed.ts'

/** Bytes per layer, and at the ends, for the candidates of one mesh, ZeRO stage and microbatch. */
export interface MemoryNumbers extends Composed<MemoryNumbers> {
  readonly layer: StateNumbers
  readonly embedding: StateNumbers
  readonly positions: StateNumbers
  readonly head: StateNumbers
  /** By policy: bytes kept per layer and microbatch, and bytes live beside those while a layer is recomputed. */
  readonly kept: readonly Bytes[]
  readonly live: readonly Bytes[]
  /** By policy: bytes kept on the host, per layer and microbatch. */
  readonly host: readonly Bytes[]
  readonly stream: Bytes
  /** Bytes beyond the shards of the operand of the projections and its gradient, when gathered over tensor, and of keys over context. */
  readonly gatheredStream: Bytes
  /** What user buffers take for as long as the process runs; what is gathered lies in them. */
  readonly userBuffers: Bytes
  /** Of one microbatch; of a stage's share of it where all stages take the loss. */
  readonly logits: Bytes
  /** Whether every stage holds the ends, and has the logits of all microbatches at once. */
  readonly endsOnEveryStage: boolean
  /** The most layers whose weights are gathered at once. */
  readonly layersGathered: number
  /** How many times as many bytes gradients take where those of a microbatch lie beside the sum of the others. */
  readonly summedGradients: number
  readonly reserve: Bytes
  /** A chip's share of the host's memory. */
  readonly hostRoom: Bytes
  readonly tied: boolean
  /** Whether ZeRO shards the optimizer's states, over all copies of a weight. */
  readonly shardsOptimizer: boolean
  /** Index of the policy that keeps everything, and so does the least work; -1 where it is not allowed. */
  readonly least: number
  /** Bytes kept per layer and microbatch, by kind of layer and then by policy; absent where all layers are alike. */
  readonly keptByKind?: readonly (readonly Bytes[])[]
}

export interface StateNumbers {
  readonly weights: Bytes
  readonly gradients: Bytes
  readonly optimizer: Bytes
  /** The optimizer's states that are in the host's memory instead. */
  readonly onHost: Bytes
  /** Bytes of weights gathered for use, beyond the shard. */
  readonly gathered: Bytes
  /** Bytes of gradients of one microbatch before they are scattered, beyond the shard. */
  readonly unscattered: Bytes
}
