/** Other sizes for an axis of a mesh, with more or fewer replicas so that the mesh keeps its number of chips. */
import { commonDivisor, divisorsOf } from '../hardware/cluster/divisors.ts'
import { type Axis, axes, type Mesh, restAxes } from '../sharding/axis.ts'
import type { Way } from './part-rule.ts'

/** The axis that shrinks or grows to make up for a new size of `axis`: the largest of the replica axes. */
function makesUp(mesh: Mesh, axis: Axis): Axis {
  const [first = axis, ...others] = restAxes.filter((rest) => rest !== axis)
  return others.reduce((largest, rest) => (mesh[rest] > mesh[largest] ? rest : largest), first)
}

/** Sizes that the axis can have: divisors of its size times that of the axis that makes up for it. */
export function sizesOf(mesh: Mesh, axis: Axis): readonly number[] {
  return divisorsOf(mesh[axis] * mesh[makesUp(mesh, axis)])
}

/** Those of `sizesOf` that also divide `count` heads or experts; none if `count` is not a whole number. */
export function sizesThatDivide(count: number, mesh: Mesh, axis: Axis): readonly number[] {
  if (!Number.isInteger(count)) return []
  return divisorsOf(commonDivisor(count, mesh[axis] * mesh[makesUp(mesh, axis)]))
}

/** One way for each size of `axis`; `other` (by default a replica axis) is resized so that the product stays the same. */
export function resized(
  mesh: Mesh,
  axis: Axis,
  sizes: readonly number[],
  other: Axis = makesUp(mesh, axis),
): readonly Way[] {
  return sizes.map((size) =>
    changes(mesh, { ...mesh, [axis]: size, [other]: (mesh[axis] * mesh[other]) / size }, axis),
  )
}

/** The changes that turn one mesh into another, that of `first` at the front because it is what was asked for. */
export function changes(before: Mesh, after: Mesh, first?: Axis): Way {
  return [...axes]
    .sort((one, other) => Number(other === first) - Number(one === first))
    .filter((axis) => after[axis] !== before[axis])
    .map((axis) => ({ pointer: axisPointer(axis), value: after[axis] }))
}

export function axisPointer(axis: Axis): string {
  return `/plan/mesh/${axis}`
}

/** Applies a way out to the mesh. */
export function meshAfter(mesh: Mesh, way: Way): Mesh {
  const sizes = axes.map((axis) => {
    const change = way.find(({ pointer }) => pointer === axisPointer(axis))
    return [axis, change ? Number(change.value) : mesh[axis]] as const
  })
  return Object.fromEntries(sizes) as Mesh
}
