/**
 * Where JAX puts mesh axes on the physical axes of a slice. It places them from the innermost on: on whole physical axes if there are such for all of
 * them, else on parts of them, the part of an inner axis inside of that of an outer one. So a mesh has one placement, which no option changes.
 * Source: jax-ml/jax cec06d1, jax/_src/mesh_utils.py (create_device_mesh with allow_split_physical_axes).
 */
import { known, remembered } from '../../known.ts'
import { lasting } from '../../recent.ts'
import type { Axis } from '../../sharding/axis.ts'
import { factorings } from '../cluster/factorings.ts'
import type { Chosen, Nestings } from './nesting.ts'

/**
 * Axes from the outermost on, as MaxText gives them to JAX: where there are stages, it puts their axis before data's.
 * Source: AI-Hypercomputer/maxtext e591f30, src/maxtext/configs/types.py.
 */
export const deviceMeshAxes = [
  'pipeline',
  'data',
  'fsdp',
  'context',
  'tensor',
  'expert',
] as const satisfies readonly Axis[]

/** Sizes of physical axes, or of mesh axes from the outermost on. */
type Sizes = readonly number[]

/** For each mesh axis, from the outermost on, what it takes of each physical axis. */
type Taken = readonly Sizes[]

/** How axes of so many chips nest on each physical axis: one way, or none where they have not as many chips as the slice. */
export const deviceMeshNesting: Nestings = ({ topology }, within) =>
  known(nested, `${topology} ${within}`, () => {
    const taken = onDeviceMesh(topology, within)
    if (!taken) return []
    const onEach = topology.map((_, physical) =>
      taken
        .map((sizes, index) => ({ index, size: sizes[physical] ?? 1 }))
        .filter(({ size }) => size > 1)
        .reverse(),
    )
    return [onEach]
  })

/** Searches of the same slice ask again for few distinct sizes. */
const nested = lasting<readonly Chosen[]>(2000)

/** Every way for an axis of such a size to take parts of what is left of the physical axes. */
export type PartsOf = (size: number, left: Sizes) => readonly Sizes[]

/** Null where an axis finds no place. */
export function onDeviceMesh(topology: Sizes, mesh: Sizes, partsOf: PartsOf = factorings): Taken | null {
  return onWholeAxes(topology, mesh) ?? onParts(topology, mesh, partsOf)
}

/** Whether JAX need split no physical axis, which it does only where it is allowed to. */
export function liesOnWholeAxes(topology: Sizes, mesh: Sizes): boolean {
  return onWholeAxes(topology, mesh) !== null
}

/** Takes for each axis the most physical ones that are left and multiply to it, the first of those that do. */
function onWholeAxes(topology: Sizes, mesh: Sizes): Taken | null {
  let left = topology
  const places = mesh.toReversed().map((size) => {
    const axes =
      size === 1 ? [] : subsets(left).find((some) => product(some.map((at) => left[at] ?? 1)) === size)
    if (axes) left = left.map((length, at) => (axes.includes(at) ? 0 : length))
    return axes && topology.map((length, at) => (axes.includes(at) ? length : 1))
  })
  return places.every((taken) => taken !== undefined) ? places.reverse() : null
}

/** Sets of axes, of the most first. */
function subsets(left: Sizes): readonly (readonly number[])[] {
  const axes = left.flatMap((length, axis) => (length > 0 ? [axis] : []))
  return axes.map((_, fewer) => axes.length - fewer).flatMap((count) => chosen(axes, count))
}

function onParts(topology: Sizes, mesh: Sizes, partsOf: PartsOf): Taken | null {
  let left = untaken(topology, partsOf)
  const places: Sizes[] = []
  for (const size of mesh.toReversed()) {
    const place = left.next(size)
    if (!place) return null
    left = place.left
    places.unshift(place.taken)
  }
  return places
}

/** What is left of each physical axis of a slice when some mesh axes have taken their parts, from the innermost on. */
export interface LeftOver {
  readonly sizes: Sizes
  /** Where the next mesh axis of such a size lies; null where it finds no place. */
  readonly next: (size: number) => { readonly taken: Sizes; readonly left: LeftOver } | null
}

/** A whole slice, for mesh axes that do not all lie on whole physical axes. */
export function untaken(topology: Sizes, partsOf: PartsOf = factorings): LeftOver {
  return partsOf === factorings
    ? known(slices, `${topology}`, () => leftOvers(topology, partsOf))
    : leftOvers(topology, partsOf)
}

/** Searches ask for the same few slices, each of which has as many different rests as its axes have divisors together. */
const slices = lasting<LeftOver>(12)

function leftOvers(topology: Sizes, partsOf: PartsOf): LeftOver {
  const all = new Map<string, LeftOver>()
  const of = (left: Sizes): LeftOver =>
    known(all, `${left}`, () => ({
      sizes: left,
      next: remembered((size: number) => {
        const taken = best(topology, left, partsOf(size, left))
        if (!taken || product(taken) !== size) return null
        return { taken, left: of(left.map((length, axis) => length / (taken[axis] ?? 1))) }
      }),
    }))
  return of(topology)
}

/** Of what an axis may take: the most on whole axes, then the most whole axes, then where most is taken already. */
function best(topology: Sizes, left: Sizes, ways: readonly Sizes[]): Sizes | null {
  const whole = (taken: Sizes) => taken.filter((size, axis) => size === topology[axis])
  const begun = (taken: Sizes) => taken.filter((_, axis) => (left[axis] ?? 1) < (topology[axis] ?? 1))
  const measures = [
    (taken: Sizes) => product(whole(taken)),
    (taken: Sizes) => whole(taken).filter((size) => size > 1).length,
    (taken: Sizes) => product(begun(taken)),
    ...topology.map((_, axis) => (taken: Sizes) => taken[axis] ?? 1),
  ]
  const isBetter = (one: Sizes, other: Sizes) => {
    const decisive = measures.find((measure) => measure(one) !== measure(other))
    return decisive !== undefined && decisive(one) > decisive(other)
  }
  const [first = null, ...others] = ways
  return others.reduce((most, each) => (most && isBetter(each, most) ? each : most), first)
}

/** Every way to take `count` of some items, in their order. */
export function chosen(items: readonly number[], count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]]
  return items.flatMap((item, at) =>
    chosen(items.slice(at + 1), count - 1).map((others) => [item, ...others]),
  )
}

function product(sizes: Sizes): number {
  return sizes.reduce((all, size) => all * size, 1)
}
