/** What a group of chips pays for collectives, and the assumptions that this depends on beside the network. */
import type { Bytes, Seconds } from '../../units.ts'

export interface NetworkTerms {
  readonly finiteRings: boolean
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
  readonly latencyFactor: number
  readonly inNetworkReduction: boolean
  /** Bytes at which messages inside a node reach half of `scaleUpEfficiency` (collective.ts); for switched networks only. */
  readonly scaleUpHalfBytes: Bytes
  /** Latency of a gather or scatter inside a node by one kernel that reaches all other chips at once; that of a ring when absent. */
  readonly directSeconds?: Seconds
}

/** The efficiency of links of the innermost tier, or of those above it. */
export function tierEfficiency(
  { scaleUpEfficiency, scaleOutEfficiency }: Pick<NetworkTerms, 'scaleUpEfficiency' | 'scaleOutEfficiency'>,
  level: number,
): number {
  return level === 0 ? scaleUpEfficiency : scaleOutEfficiency
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
  /** Extra time on the innermost tier: seconds per square root of the bytes that a chip moves. */
  readonly ramp: number
  /** Whether latency is a floor under the bandwidth term (torus) rather than added to it (switched). */
  readonly latencyIsFloor: boolean
  /** For each resource of the network, how long it is busy per byte of a gather. */
  readonly loads: readonly number[]
  /** The same for an AllToAll. */
  readonly allToAllLoads: readonly number[]
  /** Number of nodes or slices that the group has chips in: the parts that its slowest links join. */
  readonly outerUnits: number
  readonly permuteLoads: readonly number[]
}
