/**
 * Which chips serve which mesh axis: enumerates every way that a framework can express.
 *
 * Torus: each mesh axis takes whole physical axes and at most one part of another, so that the sizes multiply to its
 * own. A mesh that does not lie so, as data 27 x fsdp 64 on 12x12x12, takes as few parts of physical axes as it can. On one physical axis parts nest,
 * innermost first, in any order. Where JAX puts the axes (device-mesh.ts) is listed too, however many parts it takes. Slices are joined over DCN by data, fsdp or pipeline, the
 * axes that frameworks put there. Equal physical axes are interchangeable, so only one of each mirrored pair is listed.
 *
 * Switched: ranks count through the axes in an order, innermost first: tensor, tensor2, context, expert, fsdp, data,
 * then pipeline outermost; or pipeline inside fsdp and data.
 */
import { lasting } from '../../recent.ts'
import {
  type Axis,
  activeAxes,
  axes,
  axesAcrossSlices,
  type Mesh,
  meshKey,
  perAxis,
} from '../../sharding/axis.ts'
import type { Network, TorusNetwork } from '../cluster/cluster.ts'
import { factorings } from '../cluster/factorings.ts'
import { deviceMeshAxes, deviceMeshNesting } from './device-mesh.ts'
import { type Group, isSameGroup, type TorusPart } from './group.ts'
import { type Chosen, fewestParts, type Nestings, partOfEach } from './nesting.ts'

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

/** Later searches of the same chips ask for the same meshes. A placement takes a kilobyte: most meshes have some ten, and the few that have hundreds are not kept. */
const onTorus = lasting<readonly Placement[]>(300)
const mostKept = 32

function torusPlacements(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const { topology, wraps, slices } = network
  const key = `${topology} ${wraps} ${slices} ${meshKey(mesh)}`
  const kept = onTorus.get(key)
  if (kept) return kept
  const listed = listedPlacements(network, mesh)
  if (listed.length <= mostKept) onTorus.set(key, listed)
  return listed
}

/** JAX's first, where it makes one: of placements that cost the same the first is taken. */
function listedPlacements(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const active = activeAxes(mesh)
  const found = placementsBy(partOfEach, network, mesh, active)
  const all = found.length > 0 ? found : placementsBy(fewestParts, network, mesh, active)
  const made = devicePlacements(network, mesh)
  return [...made, ...all.filter((one) => !made.some((other) => liesAlike(one, other)))]
}

/** The placements that JAX makes of a mesh, one for each way in which its axes may cross slices; none where it has no such axes. */
export function devicePlacements(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const active = deviceMeshAxes.filter((axis) => mesh[axis] > 1)
  if (active.length < activeAxes(mesh).length) return []
  return placementsBy(deviceMeshNesting, network, mesh, active)
}

/** Whether all axes lie on the same parts of the same physical axes, and across as many slices. */
export function liesAlike(one: Placement, other: Placement): boolean {
  return axes.every((axis) => isSameGroup(one.groups[axis], other.groups[axis]))
}

function placementsBy(
  nestings: Nestings,
  network: TorusNetwork,
  mesh: Mesh,
  active: readonly Axis[],
): readonly Placement[] {
  return sliceAssignments(network, mesh).flatMap((assigned) => {
    const slices = active.map((axis) => assigned[axis] ?? 1)
    const within = active.map((axis, index) => mesh[axis] / (slices[index] ?? 1))
    return nestings(network, within).map((chosen) => assembled(active, slices, chosen))
  })
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

function assembled(active: readonly Axis[], slices: readonly number[], chosen: Chosen): Placement {
  const partsOf = active.map((): TorusPart[] => [])
  chosen.forEach((nest, physical) => {
    let stride = 1
    for (const { index, size } of nest) {
      partsOf[index]?.push({ physical, size, stride })
      stride *= size
    }
  })
  return {
    groups: perAxis(({ name }): Group => {
      const index = active.indexOf(name)
      return { kind: 'torus', parts: partsOf[index] ?? [], slices: slices[index] ?? 1 }
    }),
  }
}
