/** The same switches with another number of chips behind them. */
import type { Cluster, SwitchedNetwork } from './cluster.ts'

export function behindSwitches(cluster: Cluster, network: SwitchedNetwork, chips: number): Cluster {
  return { ...cluster, chips, network: { ...network, chips } }
}

/** Without their number of chips, no group inside a replica lies otherwise once every tier is filled. */
export function unbounded(part: Cluster, { chips: _counted, ...network }: SwitchedNetwork): Cluster {
  return { ...part, network }
}

/** Number of chips in one unit of the outermost tier, or below it if that has no end. */
export function filledTiers({ tiers }: SwitchedNetwork): number {
  return tiers.reduce((chips, { size }) => chips * (size ?? 1), 1)
}
