/** The same switches with more chips behind them, or fewer. */
import type { Cluster, SwitchedNetwork } from './cluster.ts'

export function behindSwitches(cluster: Cluster, network: SwitchedNetwork, chips: number): Cluster {
  return { ...cluster, chips, network: { ...network, chips } }
}
