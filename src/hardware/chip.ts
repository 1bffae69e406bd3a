/** One accelerator and the system it comes in. Bandwidths are one-way unless the name says otherwise. */
import type { ElementType } from '../recipe/element-types.ts'
import type { Bytes, BytesPerSecond, FlopsPerSecond, Seconds } from '../units.ts'

/** How a slice of a torus closes into rings: an axis of exactly `size` chips does, or all axes of whole cubes of edge `edge` do. */
export type WrapRule =
  | { readonly kind: 'size'; readonly size: number }
  | { readonly kind: 'cubes'; readonly edge: number }

/** A chip with links of its own to its neighbours (TPU). */
export interface TorusSystem {
  readonly kind: 'torus'
  /** ICI: one link in one direction. A chip has two links on each axis, one to either side. */
  readonly linkBytesPerSecond: BytesPerSecond
  readonly hopSeconds: Seconds
  readonly wrap: WrapRule
  /** The largest slice; its length is the number of axes. */
  readonly pod: readonly number[]
  /** Slices that can be rented, each sorted ascending; when absent, any slice of whole hosts that fits the pod. */
  readonly slices?: readonly (readonly number[])[]
  readonly host: readonly number[]
  readonly dcnBytesPerSecondPerChip: BytesPerSecond
  readonly dcnLatencySeconds: Seconds
}

/** One level of a switched network: `size` units of the level below behind one switch. */
export interface Tier {
  readonly name: string
  /** Units of the tier below (chips, for the first); null for an outermost tier without a limit. */
  readonly size: number | null
  /** What one chip can send through this tier, in one direction, when all send at once. */
  readonly bytesPerSecondPerChip: BytesPerSecond
  /** Added per step of a collective over this tier. */
  readonly latencySeconds: Seconds
  /** Whether the switch can reduce (NVLink SHARP, InfiniBand SHARP). */
  readonly inNetworkReduction: boolean
  /** Whether a kernel reaches all units behind the switch at once (NVLink); false where they pass on in a ring (PCIe). True when absent. */
  readonly direct?: boolean
}

export function isDirect({ direct = true }: Pick<Tier, 'direct'>): boolean {
  return direct
}

/** Chips behind switches (GPU): tiers, innermost first. */
export interface SwitchedSystem {
  readonly kind: 'switched'
  readonly tiers: readonly Tier[]
}

/** What kernels reach of the data sheet, as fractions; the fields named `half` are the sizes at which they reach half of that. */
export interface Efficiency {
  readonly matmul: number
  readonly matmulHalfFlops: number
  readonly attention: number
  /** Fraction of their short-term speed that matmuls and attention sustain through training; 1 when absent. */
  readonly sustained?: number
  /** Number of keys per query at which attention reaches half of that (cost/compute/compute.ts); 0 when absent. */
  readonly attentionHalfKeys?: number
  readonly hbm: number
  /** Fraction of HBM bandwidth for attention that reads caches; as `hbm` when absent. */
  readonly cache?: number
  /** ICI or NVLink, with large messages. */
  readonly scaleUp: number
  /** Bytes at which messages inside a node reach half of it (cost/communication/operation-time.ts); 0 when absent. */
  readonly scaleUpHalfBytes?: Bytes
  /** DCN, InfiniBand or Ethernet. */
  readonly scaleOut: number
}

export const chipKinds = ['tpu', 'gpu'] as const

export type ChipKind = (typeof chipKinds)[number]

export interface Chip {
  readonly name: string
  /** The chip of the catalogue that it is (kin.ts), null for none; itself when absent. */
  readonly kin?: string | null
  readonly kind: ChipKind
  /** Dense peak per element type of the operands (peak.ts); what is absent is not supported in hardware. */
  readonly peakFlopsPerSecond: Readonly<Partial<Record<ElementType, FlopsPerSecond>>>
  /** Memory that a process on the chip may allocate, as the driver reports it. */
  readonly hbmBytes: Bytes
  readonly hbmBytesPerSecond: BytesPerSecond
  readonly hostBytesPerSecond: BytesPerSecond
  /** This chip's share of its host's memory; unlimited when absent. */
  readonly hostMemoryBytes?: Bytes
  readonly usdPerHour?: number
  /** The most that its board draws; unknown when absent. */
  readonly boardWatts?: number
  /** What it is held to where that is less (power.ts). */
  readonly powerCapWatts?: number
  /** Devices that software sees on a TPU, each with its share of it; 1 when absent. */
  readonly devicesPerChip?: number
  readonly efficiency: Efficiency
  readonly system: TorusSystem | SwitchedSystem
}

/** Bytes of the host's memory that a chip may fill. */
export function hostRoom({
  hostMemoryBytes = Number.POSITIVE_INFINITY,
}: Pick<Chip, 'hostMemoryBytes'>): Bytes {
  return hostMemoryBytes
}

/** For launches alone, as costs are those of whole chips; a process of a GPU's framework has a whole GPU. */
export function devicesOn({ kind, devicesPerChip = 1 }: Pick<Chip, 'kind' | 'devicesPerChip'>): number {
  return kind === 'tpu' ? devicesPerChip : 1
}
