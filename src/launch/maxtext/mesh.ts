/**
 * A mesh in MaxText's terms: each axis as a part inside a slice (ici) times a part across slices (dcn). Behind
 * switches, units of the innermost tier count as slices. Null if an axis does not split so. Source: as config.ts, and
 * create_device_mesh in src/maxtext/utils/maxtext_utils.py.
 */
import { deviceMeshAxes } from '../../hardware/network/device-mesh.ts'
import { unitSize, unitsSpanned } from '../../hardware/network/innermost-unit.ts'
import type { Axis } from '../../sharding/axis.ts'
import type { Run } from '../run/run.ts'

/** Axes in MaxText's order, outermost first; MaxText calls `pipeline` stage. */
export const maxtextAxes = deviceMeshAxes

export type MaxtextAxis = (typeof maxtextAxes)[number]

/** Axes that MaxText has only for models with experts. */
export const axesOfExperts: readonly string[] = ['expert']

type Sizes = Readonly<Record<MaxtextAxis, number>>

export interface SlicedMesh {
  readonly ici: Sizes
  readonly dcn: Sizes
}

export function slicedMesh({ mesh, placement, problem: { cluster } }: Run): SlicedMesh | null {
  const { network, chips } = cluster
  const across = (axis: Axis): number => {
    const group = placement.groups[axis]
    if (group.kind === 'torus') return group.slices
    return network.kind === 'switched' ? unitsSpanned(group, unitSize(network, chips)) : 1
  }
  const dcn = maxtextSizes(across)
  const ici = maxtextSizes((axis) => mesh[axis] / dcn[axis])
  const inside = maxtextAxes.reduce((product, axis) => product * ici[axis], 1)
  const slice = network.kind === 'torus' ? chips / network.slices : unitSize(network, chips)
  const whole = maxtextAxes.every((axis) => Number.isInteger(ici[axis]) && Number.isInteger(dcn[axis]))
  return whole && inside === slice ? { ici, dcn } : null
}

/** Across slices MaxText puts experts inside of tensor and context in the order of ranks, plans outside. */
export function reordersExperts({ dcn }: SlicedMesh): boolean {
  return dcn.expert > 1 && dcn.tensor * dcn.context > 1
}

/** Makes a record with a size for each of MaxText's axes. */
export function maxtextSizes(size: (axis: MaxtextAxis) => number): Sizes {
  return Object.fromEntries(maxtextAxes.map((axis) => [axis, size(axis)])) as Sizes
}
