/** Turns what a request asks for into the chips and the network between them, or into what is wrong with it, as data. */
import { type ClusterRequest, mostChips, problem, type Resolution } from './cluster-request.ts'
import { switchedCluster } from './switched-cluster.ts'
import { torusCluster } from './torus-cluster.ts'

export function resolveCluster(request: ClusterRequest): Resolution {
  for (const member of ['chips', 'slices'] as const) {
    const count = request[member]
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= mostChips)) {
      return problem(member, `A whole number from 1 to ${mostChips} is needed; ${count} is not.`)
    }
  }
  const { system } = request.chip
  const resolution =
    system.kind === 'torus' ? torusCluster(request, system) : switchedCluster(request, system)
  if ('cluster' in resolution && resolution.cluster.chips > mostChips) {
    const member = request.topology ? 'slices' : 'chips'
    return problem(
      member,
      `${resolution.cluster.chips} chips are more than the ${mostChips} that are supported.`,
    )
  }
  return resolution
}
