/** For example `2 x 4x4 (tensor 8 x tensor2 2)`: the number of instances, their slice or number of chips, and their mesh. */
import { printedSlices } from '../../hardware/cluster/box.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { activeAxes, type Mesh } from '../../sharding/axis.ts'
import { counted } from '../explain/figures.ts'
import { meshText } from '../explain/summary.ts'

export function instanceText(count: number | null, cluster: Cluster, mesh: Mesh): string {
  const laid = activeAxes(mesh).length > 0 ? ` (${meshText(mesh)})` : ''
  return count === null ? laid.trim() : `${count} x ${shapeText(cluster)}${laid}`
}

export function shapeText({ chips, network }: Cluster): string {
  return network.kind === 'switched'
    ? counted(chips, 'chip')
    : printedSlices(network.slices, network.topology)
}
