/** What a group of chips pays for collectives, and what that depends on beside the network. */
import type { Bytes, Seconds } from '../../units.ts'

export interface NetworkTerms {
  readonly finiteRings: boolean
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
  readonly latencyFactor: number
  readonly inNetworkReduction: boolean
  /** Bytes that reach half of `scaleUpEfficiency` inside a node (collective.ts); of switched networks. */
  readonly scaleUpHalfBytes: Bytes
  /** Latency of a gather or scatter inside a node by one kernel that reaches all others at once; a ring's where absent. */
  readonly directSeconds?: Seconds
}

export interface GroupCost {
  readonly chips: number
  readonly perByte: number
  readonly allReducePerByte: number
  readonly allToAllPerByte: number
  readonly permutePerByte: number
  readonly latency: Seconds
  readonly allReduceLatency: Seconds
  readonly allToAllLatency: Seconds
  readonly permuteLatency: Seconds
  /** On the innermost tier, beside what its bytes take: seconds per root of the bytes that a chip moves. */
  readonly ramp: number
  /** The latency is a floor under the bandwidth term (torus) rather than added to it (switched). */
  readonly latencyIsFloor: boolean
  /** Seconds per byte of a gather that each resource of the network is busy. */
  readonly loads: readonly number[]
  /** The same of an AllToAll. */
  readonly allToAllLoads: readonly number[]
  /** Parts that the slowest link to another is between: nodes or slices that the group has chips in. */
  readonly outerUnits: number
  readonly permuteLoads: readonly number[]
}
