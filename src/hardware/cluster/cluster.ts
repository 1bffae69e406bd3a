/** The chips of one request and the network between them, as resolved. */
import type { BytesPerSecond, Seconds } from '../../units.ts'
import type { Chip, Tier } from '../chip.ts'

/** Slices of a torus joined by a data-centre network. */
export interface TorusNetwork {
  readonly kind: 'torus'
  readonly topology: readonly number[]
  readonly wraps: readonly boolean[]
  readonly linkBytesPerSecond: BytesPerSecond
  readonly hopSeconds: Seconds
  readonly slices: number
  readonly dcnBytesPerSecondPerChip: BytesPerSecond
  readonly dcnLatencySeconds: Seconds
}

export interface SwitchedNetwork {
  readonly kind: 'switched'
  readonly tiers: readonly Tier[]
  /** How many chips there are behind the switches: no group reaches into a unit that is not there. Unbounded if absent. */
  readonly chips?: number
}

export type Network = TorusNetwork | SwitchedNetwork

export interface Cluster {
  readonly chip: Chip
  readonly chips: number
  readonly network: Network
  /** Chips beside these that were asked for and stand idle: a part of a cluster has them. They are paid for all the same. */
  readonly idleChips?: number
}

/** Those at work and those that stand idle. */
export function chipsAsked({ chips, idleChips = 0 }: Cluster): number {
  return chips + idleChips
}
