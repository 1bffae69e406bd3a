/** The same chips, more of them or fewer: behind the same switches, or as the squarest slice that they come in. */
import type { Cluster, SwitchedNetwork } from './cluster.ts'
import { resolveCluster } from './resolve.ts'

/** Null where the chip comes in no slice of so many. */
export function resizedCluster(cluster: Cluster, chips: number): Cluster | null {
  const { network, chip } = cluster
  if (network.kind === 'switched') return behindSwitches(cluster, network, chips)
  const resolution = resolveCluster({ chip, chips })
  return 'cluster' in resolution ? resolution.cluster : null
}

export function behindSwitches(cluster: Cluster, network: SwitchedNetwork, chips: number): Cluster {
  return { ...cluster, chips, network: { ...network, chips } }
}
