/** The chips of one request and the network between them. */
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
  /** Number of chips behind the switches, so that no group reaches into a unit that is not there. Unbounded when absent. */
  readonly chips?: number
}

export type Network = TorusNetwork | SwitchedNetwork

export interface Cluster {
  readonly chip: Chip
  readonly chips: number
  readonly network: Network
  /** Chips that were asked for beside these and stand idle, when this is a part of a cluster. They are paid for all the same. */
  readonly idleChips?: number
  /** Of a slice, or an innermost unit, in which some work: those that stand idle beside them. None when absent. */
  readonly idleBeside?: number
}

/** Chips at work and chips that stand idle. */
export function chipsAsked({ chips, idleChips = 0 }: Cluster): number {
  return chips + idleChips
}

/** Chips of an innermost unit of switches (a node, an NVLink domain) that has all of its own; where no tier bounds it, those that there are. */
export function fullUnit({ tiers }: Pick<SwitchedNetwork, 'tiers'>, chips: number): number {
  return tiers[0]?.size ?? chips
}
