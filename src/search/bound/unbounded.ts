/** Networks behind switches without their number of chips, on which no group inside a replica lies otherwise once every tier is filled. */
import type { Cluster, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'

/** Number of chips in one unit of the outermost tier. */
export function filledTiers({ tiers }: SwitchedNetwork): number {
  return tiers.reduce((chips, { size }) => chips * (size ?? 1), 1)
}

export function unbounded(part: Cluster, { chips: _counted, ...network }: SwitchedNetwork): Cluster {
  return { ...part, network }
}
