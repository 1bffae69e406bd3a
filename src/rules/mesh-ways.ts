/** Other sizes for an axis of a mesh, with more or fewer replicas so that the mesh has all chips, or else as many as it had. */
import { commonDivisor, divisorsOf } from '../hardware/cluster/divisors.ts'
import { type Axis, activeAxes, axes, type Mesh, meshSize, restAxes } from '../sharding/axis.ts'
import type { Way } from './part-rule.ts'

/** The axis that shrinks or grows to make up for a new size of `axis`: the largest of the replica axes. */
function makesUp(mesh: Mesh, axis: Axis): Axis {
  const [first = axis, ...others] = restAxes.filter((rest) => rest !== axis)
  return others.reduce((largest, rest) => (mesh[rest] > mesh[largest] ? rest : largest), first)
}

/** Sizes that the axis can have, ascending: divisors of its size times that of the axis that makes up for it, on all `chips` or on those of the mesh. */
export function sizesOf(mesh: Mesh, axis: Axis, chips: number = meshSize(mesh)): readonly number[] {
  return divisorsOfAny(products(mesh, axis, makesUp(mesh, axis), chips))
}

/** Those of `sizesOf` that also divide `count` heads or experts; none if `count` is not a whole number. */
export function sizesThatDivide(count: number, mesh: Mesh, axis: Axis, chips: number): readonly number[] {
  if (!Number.isInteger(count)) return []
  const all = products(mesh, axis, makesUp(mesh, axis), chips)
  return divisorsOfAny(all.map((product) => commonDivisor(count, product)))
}

/** What two axes may multiply to: all `chips` over the other axes where these divide them, and what they do now. */
function products(mesh: Mesh, axis: Axis, other: Axis, chips: number): readonly number[] {
  const now = mesh[axis] * mesh[other]
  const whole = (chips * now) / meshSize(mesh)
  return Number.isInteger(whole) && whole !== now ? [whole, now] : [now]
}

function divisorsOfAny(counts: readonly number[]): readonly number[] {
  return [...new Set(counts.flatMap(divisorsOf))].sort((a, b) => a - b)
}

/** One way for each size of `axis`; `other` (by default a replica axis) is resized so that all `chips` work, or else as many as now. */
export function resized(
  mesh: Mesh,
  axis: Axis,
  sizes: readonly number[],
  chips: number = meshSize(mesh),
  other: Axis = makesUp(mesh, axis),
): readonly Way[] {
  const all = products(mesh, axis, other, chips)
  return sizes.map((size) => {
    const product = all.find((each) => each % size === 0) ?? mesh[axis] * mesh[other]
    return changes(mesh, { ...mesh, [axis]: size, [other]: product / size }, axis)
  })
}

/** Ways to each size of the axis of at most `most` that the replicas can make up for. */
export function upTo(
  most: number,
  mesh: Mesh,
  axis: Axis,
  { chips }: { readonly chips: number },
): readonly Way[] {
  const sizes = sizesOf(mesh, axis, chips).filter((size) => size <= most)
  return resized(mesh, axis, sizes, chips)
}

/** Meshes of all `chips` that are further away are not tried. */
const mostWays = 64

/**
 * Other sizes for several axes of more than one chip at once, so that all `chips` work: two, or three where no two do. Those of the smallest ratios to the
 * written sizes come first.
 */
export function resizedTogether(mesh: Mesh, chips: number): readonly Way[] {
  const written = activeAxes(mesh)
  const meshes = [2, 3].map((count) => subsets(written, count).flatMap((some) => onto(mesh, some, chips)))
  const [found = []] = meshes.filter(({ length }) => length > 0)
  return found
    .toSorted((a, b) => octavesApart(mesh, a) - octavesApart(mesh, b))
    .slice(0, mostWays)
    .map((other) => changes(mesh, other))
}

function subsets(all: readonly Axis[], count: number): readonly (readonly Axis[])[] {
  if (count === 0) return [[]]
  return all.flatMap((axis, at) => subsets(all.slice(at + 1), count - 1).map((rest) => [axis, ...rest]))
}

/** Meshes of all chips that differ in these axes alone, and in each of them. */
function onto(mesh: Mesh, some: readonly Axis[], chips: number): readonly Mesh[] {
  const whole = chips / (meshSize(mesh) / some.reduce((product, axis) => product * mesh[axis], 1))
  if (!Number.isInteger(whole)) return []
  const [axis, ...rest] = some
  if (axis === undefined) return whole === 1 ? [mesh] : []
  return divisorsOf(whole)
    .filter((size) => size !== mesh[axis])
    .flatMap((size) => onto({ ...mesh, [axis]: size }, rest, chips))
}

function octavesApart(mesh: Mesh, other: Mesh): number {
  return axes.reduce((sum, axis) => sum + Math.abs(Math.log2(other[axis] / mesh[axis])), 0)
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
