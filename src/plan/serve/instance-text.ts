/** For example `2 x 4x4 (tensor 8 x tensor2 2)`: the number of instances, their slice or number of chips, and their mesh. */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { activeAxes } from '../account/collectives.ts'
import { counted } from '../explain/figures.ts'

export function instanceText(count: number | null, cluster: Cluster, mesh: Mesh): string {
  const axes = activeAxes(mesh).map((axis) => `${axis} ${mesh[axis]}`)
  const laid = axes.length > 0 ? ` (${axes.join(' x ')})` : ''
  return count === null ? laid.trim() : `${count} x ${shapeText(cluster)}${laid}`
}

export function shapeText({ chips, network }: Cluster): string {
  if (network.kind === 'switched') return chipsText(chips)
  const { topology, slices } = network
  return slices > 1 ? `${slices} slices of ${topology.join('x')}` : topology.join('x')
}

export function chipsText(chips: number): string {
  return counted(chips, 'chip')
}
