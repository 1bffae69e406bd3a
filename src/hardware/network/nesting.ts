/**
 * How mesh axes share the physical axes of a torus: on each, parts nest, innermost first. Which parts a placement may have, and which placements are
 * mirror images of others.
 */
import type { TorusNetwork } from '../cluster/cluster.ts'
import { factorings } from '../cluster/factorings.ts'
import { permutations } from '../cluster/permutations.ts'

/** A part on one physical axis: the index of the active mesh axis, and its number of chips. Parts are listed innermost first. */
export interface Nested {
  readonly index: number
  readonly size: number
}

/** The parts on each physical axis that has some. */
export type Chosen = readonly (readonly Nested[])[]

/** Whether the sizes of mesh axes on the next physical axis, with those on the axes before, are none to list. */
export type Refuses = (sizes: readonly number[], length: number, chosen: Chosen) => boolean

/** A mesh axis that has a part of a physical axis has no part of another. */
export function partsOfEach(): Refuses {
  return (sizes, length, chosen) => {
    const split = (index: number) =>
      chosen.some((nest) => nest.length > 1 && nest.some((part) => part.index === index))
    return sizes.some((size, index) => size > 1 && size < length && split(index))
  }
}

/** All axes together have as few parts as they can. */
export function fewestParts(network: TorusNetwork, within: readonly number[]): Refuses {
  const most = partsNeeded(network, within, 0)
  return (sizes, _, chosen) => {
    const parts = chosen.reduce((sum, nest) => sum + partsOf(nest.length), partsOf(counted(sizes)))
    return parts > most
  }
}

/** The fewest parts in which mesh axes take the physical ones from one on: in which order they nest does not matter for that. */
function partsNeeded(network: TorusNetwork, left: readonly number[], physical: number): number {
  const length = network.topology[physical]
  if (length === undefined) return 0
  let least = Number.POSITIVE_INFINITY
  for (const sizes of factorings(length, left)) {
    const own = partsOf(counted(sizes))
    if (own >= least) continue
    const remaining = left.map((size, index) => size / (sizes[index] ?? 1))
    least = Math.min(least, own + partsNeeded(network, remaining, physical + 1))
  }
  return least
}

/** Number of mesh axes on a physical axis. */
function counted(sizes: readonly number[]): number {
  return sizes.filter((size) => size > 1).length
}

/** What has a physical axis for itself has no part of it, but all. */
function partsOf(axesOnIt: number): number {
  return axesOnIt > 1 ? axesOnIt : 0
}

/** True when the physical axis before is alike and its parts come later in the order: the mirror image is listed already. */
export function mirrors(network: TorusNetwork, chosen: Chosen, nest: readonly Nested[]): boolean {
  const physical = chosen.length
  const before = chosen[physical - 1]
  if (!before) return false
  const alike =
    network.topology[physical] === network.topology[physical - 1] &&
    network.wraps[physical] === network.wraps[physical - 1]
  return alike && compare(before, nest) > 0
}

function compare(a: readonly Nested[], b: readonly Nested[]): number {
  const key = (nest: readonly Nested[]) => nest.map(({ index, size }) => index * 1e6 + size)
  const [left, right] = [key(a), key(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

export function orders(sizes: readonly number[]): readonly (readonly Nested[])[] {
  return permutations(nested(sizes))
}

function nested(sizes: readonly number[]): readonly Nested[] {
  return sizes.map((size, index) => ({ index, size })).filter(({ size }) => size > 1)
}
