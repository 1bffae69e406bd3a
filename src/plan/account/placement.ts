/** Where each mesh axis lies, as an answer gives it. */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Group, SwitchedGroup, TorusGroup } from '../../hardware/network/group.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import { tiersCrossed } from '../../hardware/network/switched-collective.ts'
import { closes } from '../../hardware/network/torus-collective.ts'
import { type Axis, activeAxes, type Mesh } from '../../sharding/axis.ts'
import type { AxisPlacement } from '../plan.ts'

export function axisPlacements(placement: Placement, mesh: Mesh, cluster: Cluster): readonly AxisPlacement[] {
  return activeAxes(mesh).flatMap((axis) => placed(axis, placement.groups[axis], cluster))
}

function placed(axis: Axis, group: Group, { network }: Cluster): readonly AxisPlacement[] {
  if (network.kind === 'switched') {
    const crossed = tiersCrossed(network, group as SwitchedGroup)
    const on = network.tiers[crossed.at(-1) ?? 0]?.name ?? 'local'
    return [{ axis, on, physical: crossed, wraps: false }]
  }
  const torus = group as TorusGroup
  const within: readonly AxisPlacement[] =
    torus.parts.length === 0
      ? []
      : [
          {
            axis,
            on: 'ici',
            physical: torus.parts.map(({ physical }) => physical),
            wraps: torus.parts.every((part) => closes(network, part)),
            parts: torus.parts,
          },
        ]
  const across: readonly AxisPlacement[] =
    torus.slices > 1 ? [{ axis, on: 'dcn', physical: [], wraps: false }] : []
  return [...within, ...across]
}
