/** What a request says of its hardware, with its chip already looked up, and the problems that it may have. */
import type { BytesPerSecond } from '../../units.ts'
import type { Chip, Tier } from '../chip.ts'
import type { Box } from './box.ts'
import type { Cluster } from './cluster.ts'

/** Numbers of the network that replace the chip's own. */
export interface NetworkOverride {
  /** In one direction, through the innermost tier, or over all of a chip's ICI links at once. */
  readonly scaleUpBytesPerSecondPerChip?: BytesPerSecond | undefined
  /** In one direction, through every tier above the innermost, or over DCN. */
  readonly scaleOutBytesPerSecondPerChip?: BytesPerSecond | undefined
  /** All tiers, innermost first, in place of the chip's own. */
  readonly tiers?: readonly Tier[] | undefined
}

export interface ClusterRequest {
  readonly chip: Chip
  /** Number of chips of all slices together. */
  readonly chips?: number | undefined
  /** Topology of one slice. */
  readonly topology?: Box | undefined
  readonly slices?: number | undefined
  readonly network?: NetworkOverride | undefined
}

export interface ClusterProblem {
  readonly pointer: string
  readonly detail: string
  /** Members of `hardware` that would be accepted, as JSON. */
  readonly suggestions: readonly string[]
}

export type Resolution =
  | { readonly cluster: Cluster; readonly warnings: readonly string[] }
  | { readonly problem: ClusterProblem }

/** Far above any system that exists; it bounds the search. */
export const mostChips = 1_000_000

export function problem(member: string, detail: string, suggestions: readonly string[] = []): Resolution {
  return { problem: { pointer: `/hardware/${member}`, detail, suggestions } }
}
