/** Other sizes of an axis, with the replicas made more or fewer so that a mesh keeps its number of chips. */
import { commonDivisor, divisorsOf } from '../hardware/cluster/divisors.ts'
import { type Axis, axes, type Mesh, restAxes } from '../sharding/axis.ts'
import type { Way } from './part-rule.ts'

/** The axis that makes up for another one's size. */
function makesUp(mesh: Mesh, axis: Axis): Axis {
  const [first = axis, ...others] = restAxes.filter((rest) => rest !== axis)
  return others.reduce((largest, rest) => (mesh[rest] > mesh[largest] ? rest : largest), first)
}

/** Sizes that an axis can have: they divide what it and the replicas have together. */
export function sizesOf(mesh: Mesh, axis: Axis): readonly number[] {
  return divisorsOf(mesh[axis] * mesh[makesUp(mesh, axis)])
}

/** Of these those that divide so many heads or experts; none where they are no whole number. */
export function sizesThatDivide(count: number, mesh: Mesh, axis: Axis): readonly number[] {
  if (!Number.isInteger(count)) return []
  return divisorsOf(commonDivisor(count, mesh[axis] * mesh[makesUp(mesh, axis)]))
}

/** What the others have goes to, or comes from, `other`: the replicas, where nothing else is said. */
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

/** The change of `first` before the others, as it is what was asked for. */
export function changes(before: Mesh, after: Mesh, first?: Axis): Way {
  return [...axes]
    .sort((one, other) => Number(other === first) - Number(one === first))
    .filter((axis) => after[axis] !== before[axis])
    .map((axis) => ({ pointer: axisPointer(axis), value: after[axis] }))
}

export function axisPointer(axis: Axis): string {
  return `/plan/mesh/${axis}`
}

/** The mesh that a way leads to. */
export function meshAfter(mesh: Mesh, way: Way): Mesh {
  const sizes = axes.map((axis) => {
    const change = way.find(({ pointer }) => pointer === axisPointer(axis))
    return [axis, change ? Number(change.value) : mesh[axis]] as const
  })
  return Object.fromEntries(sizes) as Mesh
}
