/**
 * Which chips serve which mesh axis: enumerates every way that a framework can express.
 *
 * Torus: each mesh axis takes whole physical axes and at most one part of another, so that the sizes multiply to its
 * own. A mesh that does not lie so, as data 27 x fsdp 64 on 12x12x12, takes as few parts of physical axes as it can. On one physical axis parts nest,
 * innermost first, in any order. Slices are joined over DCN by data, fsdp or pipeline, the
 * axes that frameworks put there. Equal physical axes are interchangeable, so only one of each mirrored pair is listed.
 *
 * Switched: ranks count through the axes in an order, innermost first: tensor, tensor2, context, expert, fsdp, data,
 * then pipeline outermost; or pipeline inside fsdp and data.
 */
import { type Axis, activeAxes, axes, axesAcrossSlices, type Mesh, perAxis } from '../../sharding/axis.ts'
import type { Network, TorusNetwork } from '../cluster/cluster.ts'
import { divisorsOf } from '../cluster/divisors.ts'
import { permutations } from '../cluster/permutations.ts'
import type { Group, TorusPart } from './group.ts'

export interface Placement {
  readonly groups: Readonly<Record<Axis, Group>>
}

const rankOrders: readonly (readonly Axis[])[] = [
  ['tensor', 'tensor2', 'context', 'expert', 'fsdp', 'data', 'pipeline'],
  ['tensor', 'tensor2', 'context', 'expert', 'pipeline', 'fsdp', 'data'],
]

export function placements(network: Network, mesh: Mesh): readonly Placement[] {
  return network.kind === 'torus' ? torusPlacements(network, mesh) : switchedPlacements(mesh)
}

/**
 * Whether there is any placement of a mesh of all chips. Inside a slice there always is: its chips and the axes have the same prime
 * factors, however these are dealt out.
 */
export function canBePlaced(network: Network, mesh: Mesh): boolean {
  return network.kind === 'switched' || sliceAssignments(network, mesh).length > 0
}

/** Chips between two ranks of each axis, in the order of the axes, of every order of ranks that differs. */
export function rankStrides(mesh: Mesh): readonly (readonly number[])[] {
  const distinct =
    mesh.pipeline > 1 && mesh.fsdp * mesh.data > 1 ? axesInRankOrder : axesInRankOrder.slice(0, 1)
  return distinct.map((order) => {
    const strides = new Array<number>(axes.length).fill(1)
    let stride = 1
    for (const { axis, at } of order) {
      strides[at] = stride
      stride *= mesh[axis]
    }
    return strides
  })
}

const axesInRankOrder = rankOrders.map((order) => order.map((axis) => ({ axis, at: axes.indexOf(axis) })))

function switchedPlacements(mesh: Mesh): readonly Placement[] {
  return rankStrides(mesh).map((strides) => ({
    groups: perAxis(({ name }, at): Group => {
      const span = { size: mesh[name], stride: strides[at] ?? 1 }
      return { kind: 'switched', spans: span.size > 1 ? [span] : [] }
    }),
  }))
}

function torusPlacements(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const found = placementsWith(network, mesh, partsOfEach)
  return found.length > 0 ? found : placementsWith(network, mesh, fewestParts)
}

type Chosen = readonly (readonly Nested[])[]

/** Whether the sizes of mesh axes on the next physical axis, with those on the axes before, are none to list. */
type Refuses = (sizes: readonly number[], length: number, chosen: Chosen) => boolean

function placementsWith(
  network: TorusNetwork,
  mesh: Mesh,
  limited: (network: TorusNetwork, within: readonly number[]) => Refuses,
): readonly Placement[] {
  const result: Placement[] = []
  const active = activeAxes(mesh)
  for (const assigned of sliceAssignments(network, mesh)) {
    const slices = active.map((axis) => assigned[axis] ?? 1)
    const within = active.map((axis, index) => mesh[axis] / (slices[index] ?? 1))
    const refuses = limited(network, within)
    place({ network, result, refuses, found: (chosen) => assembled(active, slices, chosen) }, within, [])
  }
  return result
}

const oneSlice = [{}]

/** Every way to share the slices out among the axes that may cross them. */
export function sliceAssignments(
  network: TorusNetwork,
  mesh: Mesh,
): readonly Readonly<Partial<Record<Axis, number>>>[] {
  if (network.slices === 1) return oneSlice
  return factorings(
    network.slices,
    axesAcrossSlices.map((axis) => mesh[axis]),
  ).map((sizes) => Object.fromEntries(axesAcrossSlices.map((axis, index) => [axis, sizes[index] ?? 1])))
}

/** Places parts depth first over the physical axes: `chosen` has the nested parts of the axes before, `left` what each mesh axis still needs. */
function place(placing: Placing, left: readonly number[], chosen: Chosen): void {
  const { network, result, refuses, found } = placing
  const physical = chosen.length
  const length = network.topology[physical]
  if (length === undefined) {
    if (left.every((size) => size === 1)) result.push(found(chosen))
    return
  }
  for (const sizes of factorings(length, left)) {
    if (refuses(sizes, length, chosen)) continue
    const remaining = left.map((size, index) => size / (sizes[index] ?? 1))
    for (const nest of orders(sizes)) {
      if (mirrors(network, chosen, nest)) continue
      place(placing, remaining, [...chosen, nest])
    }
  }
}

/** A mesh axis that has a part of a physical axis has no part of another. */
function partsOfEach(): Refuses {
  return (sizes, length, chosen) => {
    const split = (index: number) =>
      chosen.some((nest) => nest.length > 1 && nest.some((part) => part.index === index))
    return sizes.some((size, index) => size > 1 && size < length && split(index))
  }
}

/** All axes together have as few parts as they can. */
function fewestParts(network: TorusNetwork, within: readonly number[]): Refuses {
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

/** What `place` works with: where it writes placements, and how it makes one of the chosen parts. */
interface Placing {
  readonly network: TorusNetwork
  readonly result: Placement[]
  readonly refuses: Refuses
  readonly found: (chosen: readonly (readonly Nested[])[]) => Placement
}

/** A part on one physical axis: the index of the active mesh axis, and its number of chips. Parts are listed innermost first. */
interface Nested {
  readonly index: number
  readonly size: number
}

/** True when the physical axis before is alike and its parts come later in the order: the mirror image is listed already. */
function mirrors(
  network: TorusNetwork,
  chosen: readonly (readonly Nested[])[],
  nest: readonly Nested[],
): boolean {
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

/** Every list of factors whose product is `total`, each dividing its limit. */
export function factorings(total: number, limits: readonly number[]): readonly (readonly number[])[] {
  const result: (readonly number[])[] = []
  const factors = new Array<number>(limits.length).fill(1)
  const extend = (at: number, left: number) => {
    const limit = limits[at]
    if (limit === undefined) {
      if (left === 1) result.push([...factors])
      return
    }
    for (const factor of divisorsOf(left)) {
      if (limit % factor !== 0) continue
      factors[at] = factor
      extend(at + 1, left / factor)
    }
  }
  extend(0, total)
  return result
}

function orders(sizes: readonly number[]): readonly (readonly Nested[])[] {
  return permutations(nested(sizes))
}

function nested(sizes: readonly number[]): readonly Nested[] {
  return sizes.map((size, index) => ({ index, size })).filter(({ size }) => size > 1)
}

function assembled(
  active: readonly Axis[],
  slices: readonly number[],
  chosen: readonly (readonly Nested[])[],
): Placement {
  const parts = new Map<Axis, TorusPart[]>()
  chosen.forEach((nest, physical) => {
    let stride = 1
    for (const { index, size } of nest) {
      const axis = active[index]
      if (axis) parts.set(axis, [...(parts.get(axis) ?? []), { physical, size, stride }])
      stride *= size
    }
  })
  const entries = axes.map((axis): readonly [Axis, Group] => {
    const index = active.indexOf(axis)
    return [
      axis,
      { kind: 'torus', parts: parts.get(axis) ?? [], slices: index < 0 ? 1 : (slices[index] ?? 1) },
    ]
  })
  return { groups: Object.fromEntries(entries) as Record<Axis, Group> }
}
