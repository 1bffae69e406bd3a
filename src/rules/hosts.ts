/** Hosts that are joined as the chips of each are (NVL72): a replica is a server, which shares none of its hosts unless it is less than one. */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { hostsTaken, type JoinedHosts } from '../hardware/cluster/hosts.ts'
import { axes, type Mesh, meshSize } from '../sharding/axis.ts'
import type { MeshRule } from './mesh-question.ts'
import { axisPointer, meshAfter, resized } from './mesh-ways.ts'

export const enoughHosts: MeshRule = {
  reads: axes,
  broken: ({ mesh, question: { hosts } }) => hosts !== null && lacks(mesh, hosts),
  says: ({ mesh, question: { hosts } }) => {
    const { each = 1, count = 0 } = hosts ?? {}
    return `${mesh.data} replicas of ${replicaChips(mesh)} chips take ${taken(mesh, each)} hosts of ${each} chips, and there are ${count}`
  },
  pointer: axisPointer('data'),
  nearest: ({ mesh, question: { hosts } }) =>
    resized(mesh, 'data', divisorsOf(mesh.data * mesh.tensor), meshSize(mesh), 'tensor').filter(
      (way) => hosts === null || !lacks(meshAfter(mesh, way), hosts),
    ),
}

function lacks(mesh: Mesh, { each, count }: JoinedHosts): boolean {
  return taken(mesh, each) > count
}

function taken(mesh: Mesh, each: number): number {
  return hostsTaken(mesh.data, replicaChips(mesh), each)
}

function replicaChips(mesh: Mesh): number {
  return meshSize(mesh) / mesh.data
}
