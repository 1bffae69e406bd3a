/**
 * The legal sizes of an axis nearest to one that is not: the next smaller and the next larger divisor of the chips of which no
 * rule complains, with the replicas made more or fewer so that the mesh keeps its number of chips. Of a mesh of another number of
 * chips than there are: the one axis that would make it right.
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import type { Change } from '../plan/plan.ts'
import { type Axis, axes, type Mesh, meshSize } from '../sharding/axis.ts'
import type { Remedy } from './check.ts'

/** The axes that the rules complain of in a mesh. */
type FaultyAxes = (mesh: Mesh) => readonly string[]

export function nearestSizes(mesh: Mesh, axis: Axis, faulty: FaultyAxes): readonly Remedy[] {
  const legal = divisorsOf(meshSize(mesh)).flatMap((size) => {
    const resized = withSize(mesh, axis, size)
    return resized && faulty(resized).length === 0 ? [{ size, resized }] : []
  })
  const below = legal.filter(({ size }) => size < mesh[axis]).at(-1)
  const above = legal.find(({ size }) => size > mesh[axis])
  return [below, above].flatMap((found) =>
    found ? [{ detail: `${axis} ${found.size}`, changes: changed(mesh, found.resized) }] : [],
  )
}

/** Each of one axis alone. */
export function nearestMeshes(mesh: Mesh, chips: number, faulty: FaultyAxes): readonly Remedy[] {
  return axes.flatMap((axis) => {
    const size = chips / (meshSize(mesh) / mesh[axis])
    if (!Number.isInteger(size) || faulty({ ...mesh, [axis]: size }).length > 0) return []
    return [{ detail: `${axis} ${size}`, changes: [{ pointer: `/plan/mesh/${axis}`, value: size }] }]
  })
}

/** The same number of chips; null where replicas cannot make up for it. */
function withSize(mesh: Mesh, axis: Axis, size: number): Mesh | null {
  const replicas = axis === 'data' || (axis !== 'fsdp' && mesh.fsdp > mesh.data) ? 'fsdp' : 'data'
  const others = (meshSize(mesh) / mesh[axis] / mesh[replicas]) * size
  const rest = meshSize(mesh) / others
  return Number.isInteger(rest) ? { ...mesh, [axis]: size, [replicas]: rest } : null
}

function changed(before: Mesh, after: Mesh): readonly Change[] {
  return (Object.keys(after) as Axis[])
    .filter((axis) => after[axis] !== before[axis])
    .map((axis) => ({ pointer: `/plan/mesh/${axis}`, value: after[axis] }))
}
