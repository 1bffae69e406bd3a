/**
 * Which meshes JAX builds on a torus. Axes are placed from the innermost on: on whole physical axes if there are such for all of them, else on parts
 * of them. There JAX loses prime factors: of a number whose largest one is beyond its root, as 28 or 10, it keeps that alone, so that on
 * 16x20x28 no mesh takes 4 of the 28. A mesh that finds no place so raises a TypeError. Source: jax-ml/jax 01a6442,
 * jax/_src/mesh_utils.py (create_device_mesh with allow_split_physical_axes).
 */
import { devicesOn } from '../../hardware/chip.ts'
import type { Run } from '../run/run.ts'
import { maxtextAxes, type SlicedMesh } from './mesh.ts'

/** Sizes of physical axes, or of mesh axes from the outermost on. */
type Sizes = readonly number[]

/** Whether JAX builds a mesh inside one slice; both have as many devices. */
export function jaxBuilds(topology: Sizes, mesh: Sizes): boolean {
  return onWholeAxes(topology, mesh) || onParts(topology, mesh)
}

/** Takes for each axis the most physical ones that are left and multiply to it, the first of those that do. */
function onWholeAxes(topology: Sizes, mesh: Sizes): boolean {
  let left = [...topology]
  for (const size of mesh.toReversed()) {
    if (size === 1) continue
    const taken = subsets(left).find((axes) => product(axes.map((axis) => left[axis] ?? 1)) === size)
    if (!taken) return false
    left = left.map((length, axis) => (taken.includes(axis) ? 0 : length))
  }
  return true
}

/** Sets of axes, of three first, then of two and of one. */
function subsets(left: Sizes): readonly (readonly number[])[] {
  const axes = left.flatMap((length, axis) => (length > 0 ? [axis] : []))
  return [3, 2, 1].flatMap((count) => chosen(axes, count))
}

/** Whether each axis finds its prime factors among those of what the axes before it have left. */
function onParts(topology: Sizes, mesh: Sizes): boolean {
  let left = [...topology]
  for (const size of mesh.toReversed()) {
    const taken = best(topology, left, size)
    if (!taken || product(taken) !== size) return false
    left = left.map((length, axis) => length / (taken[axis] ?? 1))
  }
  return true
}

/** What JAX takes of each physical axis for a mesh axis: most of it on whole ones, then on many of them, then where much is taken already; null if nothing will do. */
function best(topology: Sizes, left: Sizes, size: number): Sizes | null {
  let most: Sizes | null = null
  for (const each of assignments(left, size)) if (!most || prefers(topology, left, each, most)) most = each
  return most
}

function assignments(left: Sizes, size: number): readonly Sizes[] {
  const wanted = primeFactors(size)
  const there = left.map(primeFactors)
  let all: readonly Sizes[] = [left.map(() => 1)]
  for (const factor of new Set(wanted)) {
    const axes = there.flatMap((own, axis) => own.filter((one) => one === factor).map(() => axis))
    const ways = chosen(axes, wanted.filter((one) => one === factor).length)
    all = all.flatMap((before) =>
      ways.map((way) => before.map((own, axis) => own * factor ** way.filter((one) => one === axis).length)),
    )
  }
  return all
}

function prefers(topology: Sizes, left: Sizes, one: Sizes, other: Sizes): boolean {
  const whole = (taken: Sizes) => taken.filter((size, axis) => size === topology[axis])
  const begun = (taken: Sizes) => taken.filter((_, axis) => (left[axis] ?? 1) < (topology[axis] ?? 1))
  const measures = [
    (taken: Sizes) => product(whole(taken)),
    (taken: Sizes) => whole(taken).filter((size) => size > 1).length,
    (taken: Sizes) => product(begun(taken)),
    ...topology.map((_, axis) => (taken: Sizes) => taken[axis] ?? 1),
  ]
  const decisive = measures.find((measure) => measure(one) !== measure(other))
  return decisive !== undefined && decisive(one) > decisive(other)
}

/** As JAX has them (_get_prime_factors): where the largest is beyond the root, that alone. */
function primeFactors(number: number): readonly number[] {
  const factors: number[] = []
  let rest = number
  const last = Math.floor(Math.sqrt(number)) + 1
  for (let prime = 2; prime <= last; prime++) {
    for (; rest % prime === 0; rest /= prime) factors.push(prime)
    if (rest === 1) return factors
  }
  return [rest]
}

/** Every way to take `count` of some items, in their order. */
function chosen(items: readonly number[], count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]]
  return items.flatMap((item, at) =>
    chosen(items.slice(at + 1), count - 1).map((others) => [item, ...others]),
  )
}

function product(sizes: Sizes): number {
  return sizes.reduce((all, size) => all * size, 1)
}

/**
 * What to do about a mesh that JAX does not build; null where it does, or where it is not known: software that sees several devices on a chip has
 * an axis in JAX's mesh that the topology has not.
 */
export function unbuilt({ problem: { cluster } }: Pick<Run, 'problem'>, { ici }: SlicedMesh): string | null {
  const { network, chip } = cluster
  if (network.kind !== 'torus' || devicesOn(chip) > 1) return null
  const { topology } = network
  const sizes = maxtextAxes.map((axis) => ici[axis])
  if (jaxBuilds(topology, sizes)) return null
  return `JAX 0.10 raises an error for this mesh on ${topology.join('x')}: its _get_prime_factors (jax/_src/mesh_utils.py) loses factors of sizes like 28 or 10, and ends in "return [x]", where "return factors + [x]" is meant`
}
