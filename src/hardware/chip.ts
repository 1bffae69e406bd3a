/** One accelerator and the system it comes in. Bandwidths are one-way unless the name says otherwise. */
import type { ElementType } from '../recipe/element-types.ts'
import type { Bytes, BytesPerSecond, FlopsPerSecond, Seconds } from '../units.ts'

/** How a slice of a torus closes into rings: an axis of exactly `size`, or whole cubes of edge `edge`. */
export type WrapRule =
  | { readonly kind: 'size'; readonly size: number }
  | { readonly kind: 'cubes'; readonly edge: number }

/** A chip with links of its own to its neighbours (TPU). */
export interface TorusSystem {
  readonly kind: 'torus'
  /** ICI: one link, one direction. An axis has a link to either side. */
  readonly linkBytesPerSecond: BytesPerSecond
  readonly hopSeconds: Seconds
  readonly wrap: WrapRule
  /** The largest slice; its length is the number of axes. */
  readonly pod: readonly number[]
  /** Slices that can be rented, each sorted ascending; where absent, any that fits the pod in whole hosts. */
  readonly slices?: readonly (readonly number[])[]
  readonly host: readonly number[]
  readonly dcnBytesPerSecondPerChip: BytesPerSecond
  readonly dcnLatencySeconds: Seconds
}

/** One level of a switched network: `size` units of the level below behind one switch. */
export interface Tier {
  readonly name: string
  /** Units of the tier below (chips, for the first); the outermost tier may be unbounded (null). */
  readonly size: number | null
  /** What one chip can send through this tier, one way, when all send at once. */
  readonly bytesPerSecondPerChip: BytesPerSecond
  /** Added per step of a collective over this tier. */
  readonly latencySeconds: Seconds
  /** The switch can reduce (NVLink SHARP, InfiniBand SHARP). */
  readonly inNetworkReduction: boolean
}

/** Chips behind switches (GPU): tiers, innermost first. */
export interface SwitchedSystem {
  readonly kind: 'switched'
  readonly tiers: readonly Tier[]
}

/** What kernels reach of the data sheet; a fraction, or (halfFlops) the matmul size that reaches half of it. */
export interface Efficiency {
  readonly matmul: number
  readonly matmulHalfFlops: number
  readonly attention: number
  /** Of what matmuls and attention reach in bursts, what they hold through training; 1 where absent. */
  readonly sustained?: number
  /** Keys that a query meets of which attention reaches half of that (cost/compute/compute.ts); 0 where absent. */
  readonly attentionHalfKeys?: number
  readonly hbm: number
  /** Of HBM bandwidth, by attention that reads caches; as `hbm` where absent. */
  readonly cache?: number
  /** ICI or NVLink, by large messages. */
  readonly scaleUp: number
  /** Bytes that reach half of it inside a node (cost/communication/operation-time.ts); 0 where absent. */
  readonly scaleUpHalfBytes?: Bytes
  /** DCN, InfiniBand or Ethernet. */
  readonly scaleOut: number
}

export const chipKinds = ['tpu', 'gpu'] as const

export type ChipKind = (typeof chipKinds)[number]

export interface Chip {
  readonly name: string
  readonly kind: ChipKind
  /** Dense peak per element type of the operands (peak.ts); what is absent is not supported in hardware. */
  readonly peakFlopsPerSecond: Readonly<Partial<Record<ElementType, FlopsPerSecond>>>
  /** What a process on it may allocate, as the driver says. */
  readonly hbmBytes: Bytes
  readonly hbmBytesPerSecond: BytesPerSecond
  readonly hostBytesPerSecond: BytesPerSecond
  /** This chip's share of its host's memory; unlimited where absent. */
  readonly hostMemoryBytes?: Bytes
  readonly usdPerHour?: number
  readonly efficiency: Efficiency
  readonly system: TorusSystem | SwitchedSystem
}
