/** Notes on servers that span several hosts, on several servers, and on what these need. */
import { hostSize } from '../../hardware/cluster/hosts.ts'
import { expertKernels } from '../../hardware/vendor.ts'
import type { Serving } from './serving.ts'

/** `chips` is the number of chips of one server. */
export function hostNotes(
  serving: Serving,
  framework: string,
  chips: number,
  how: string,
): readonly string[] {
  return chips > hostChips(serving) ? [`${framework}, on several hosts: ${how}`] : []
}

export function replicaChips({ tensors, mesh }: Serving): number {
  return tensors * mesh.pipeline * mesh.context
}

/** For frameworks that run a single replica per server. */
export function replicaNote({ mesh }: Serving, framework: string): string | null {
  if (mesh.data === 1) return null
  return `${framework}: start ${mesh.data} servers with these flags, one for each replica, behind a load balancer.`
}

export function kernelNotes({ experts, setting }: Serving, framework: string): readonly string[] {
  return experts?.sends ? [`${framework}: ${expertKernels(setting.cluster.chip)} has to be installed.`] : []
}

/** Hosts of one server of so many chips. */
export function hostsOf(serving: Serving, chips: number): number {
  return Math.ceil(chips / hostChips(serving))
}

/** Chips of one host. */
export function hostChips({ setting: { cluster } }: Serving): number {
  return hostSize(cluster)
}
