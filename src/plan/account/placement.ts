/** Where each mesh axis lies, as an answer gives it. */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Group, SwitchedGroup, TorusGroup } from '../../hardware/network/group.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import { closes } from '../../hardware/network/torus-collective.ts'
import { type Axis, activeAxes, type Mesh } from '../../sharding/axis.ts'
import type { AxisPlacement } from '../plan.ts'

export function axisPlacements(placement: Placement, mesh: Mesh, cluster: Cluster): readonly AxisPlacement[] {
  return activeAxes(mesh).flatMap((axis) => placed(axis, placement.groups[axis], cluster))
}

function placed(axis: Axis, group: Group, { network }: Cluster): readonly AxisPlacement[] {
  if (group.kind === 'switched' || network.kind === 'switched') {
    const tiers = network.kind === 'switched' ? network.tiers : []
    const spanned = tiersSpanned(group as SwitchedGroup, tiers)
    const on = tiers[spanned.at(-1) ?? 0]?.name ?? 'local'
    return [{ axis, on, physical: spanned, wraps: false }]
  }
  const torus: TorusGroup = group
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

/** The tiers that a group's messages cross: those in which it spans more than one unit of the tier below. */
function tiersSpanned(
  group: SwitchedGroup,
  tiers: readonly { readonly size: number | null }[],
): readonly number[] {
  let unit = 1
  return tiers.flatMap((tier, level) => {
    const below = unit
    unit *= tier.size ?? Number.POSITIVE_INFINITY
    const crosses = group.spans.some(({ size, stride }) => stride < unit && (size - 1) * stride >= below)
    return crosses ? [level] : []
  })
}
