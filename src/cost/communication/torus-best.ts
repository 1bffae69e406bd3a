/**
 * What groups of chips on a torus cost at best: term by term the least over the ways in which a group can lie, where no resource is busier
 * than the average. Most of what moves waits for the axes inside of a replica, and of those more is known than their sizes.
 */

import { byPair } from '../../by-pair.ts'
import type { TorusNetwork } from '../../hardware/cluster/cluster.ts'
import { factorings } from '../../hardware/cluster/factorings.ts'
import { groupCost } from '../../hardware/network/collective.ts'
import { deviceMeshAxes, untaken } from '../../hardware/network/device-mesh.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { unorderedNestings } from '../../hardware/network/nesting.ts'
import { sliceAssignments } from '../../hardware/network/placement.ts'
import { known, remembered } from '../../known.ts'
import { lasting } from '../../recent.ts'
import {
  type Axis,
  activeAxes,
  axes,
  axesAcrossSlices,
  beyondAnyAxis,
  type Mesh,
} from '../../sharding/axis.ts'
import { lesser, pricedBy } from './group-prices.ts'

export interface TorusBest {
  /** Of any group with so many chips in each of so many slices. */
  readonly ofSize: (within: number, slices: number) => GroupCost
  readonly ofReplica: (mesh: Mesh) => ReplicaCosts
}

/** What the axes inside of a replica cost by themselves, which hangs on how the axes of the whole mesh can lie together. */
export interface ReplicaCosts {
  /** By place among `axes`; undefined where no more is known than the size. */
  readonly costs: readonly (GroupCost | undefined)[]
  /** The same number for the same costs. */
  readonly kind: number
}

/** Kept for as long as the same slices are asked about. */
export function torusBest(network: TorusNetwork, terms: NetworkTerms): TorusBest {
  return known(kept, pricedBy(network, terms), () => bestOn(network, terms))
}

const kept = lasting<TorusBest>(12)

/** A search asks for some thousand meshes of a slice, which have few different sizes of axes, and whose context and experts have some hundred. */
const [mostMeshes, mostSizes, mostInner] = [2000, 2000, 200]

const unknown: ReplicaCosts = { costs: [], kind: 0 }

/** One way in which a group lies: what it takes of each physical axis, and how many chips of inner axes lie between its own. */
interface Way {
  readonly taken: readonly number[]
  readonly inner: readonly number[]
}

type Ways = ReadonlyMap<string, Way>

function bestOn(network: TorusNetwork, terms: NetworkTerms): TorusBest {
  const { topology } = network
  const chips = topology.reduce((product, length) => product * length, network.slices)
  const least = (ways: Iterable<Way>, slices: number): GroupCost | undefined => {
    const [first, ...others] = [...ways].map((way) => averaged(network, terms, way, slices))
    return first && others.reduce(lesser, first)
  }
  const ofSize = remembered((within: number) =>
    remembered((slices: number) => {
      const ways = factorings(within, topology).map((taken): Way => ({ taken, inner: [] }))
      return least(ways, slices) ?? unreachable(network, within * slices)
    }),
  )
  const listed = remembered((sizes: string) => waysBySize(network, sizes.split(',').map(Number)), mostSizes)
  const ofWays = new Map<string, GroupCost | undefined>()
  const kinds = new Map<string, number>()

  const madeFor = (mesh: Mesh): ReplicaCosts => {
    const active = activeAxes(mesh)
    const ways = sliceAssignments(network, mesh).map((assigned) => {
      const sizes = active.map((axis) => mesh[axis] / (assigned[axis] ?? 1))
      return listed(`${sizes.filter((size) => size > 1).sort((a, b) => a - b)}`)
    })
    if (ways.some(({ size }) => size === 0)) return unknown
    // JAX has no axis like the others.
    let left = innermost.some(({ axis, isJax }) => !isJax && mesh[axis] > 1) ? null : untaken(topology)
    const costs: (GroupCost | undefined)[] = axes.map(() => undefined)
    let kind = ''
    for (const { axis, at } of innermost) {
      const size = mesh[axis]
      if (size === 1) continue
      const all = new Map(ways.flatMap((own) => [...(own.get(size) ?? noWays)]))
      const place = left?.next(size)
      if (left && place) addWay(all, { taken: place.taken, inner: between(topology, left.sizes) })
      const key = [...all.keys()].sort().join(' ')
      costs[at] = known(ofWays, key, () => least(all.values(), 1))
      kind += `${axis} ${key} `
      left = place?.left ?? null
    }
    return { costs, kind: known(kinds, kind, () => kinds.size + 1) }
  }

  const byInner = remembered((_: number) => byPair<ReplicaCosts>(mostMeshes), mostInner)
  const ofReplica = (mesh: Mesh): ReplicaCosts => {
    const { data, fsdp, tensor, tensor2, context, expert, pipeline } = mesh
    // What does not take all chips is no mesh, but a part of some.
    if (data * fsdp * tensor * tensor2 * context * expert * pipeline !== chips) return unknown
    const own = byInner(context * beyondAnyAxis + expert)
    // The one that is left out follows.
    const [tensors, outer] = [tensor * beyondAnyAxis + tensor2, data * beyondAnyAxis + pipeline]
    return own.find(tensors, outer) ?? own.keep(tensors, outer, madeFor(mesh))
  }
  return { ofSize: (within, slices) => ofSize(within)(slices), ofReplica }
}

/** The axes inside of a replica, from the innermost on, as JAX places those that it has. */
const innermost: readonly { readonly axis: Axis; readonly at: number; readonly isJax: boolean }[] = [
  ...deviceMeshAxes.toReversed().map((axis) => ({ axis, isJax: true })),
  ...axes
    .filter((axis) => !deviceMeshAxes.some((own) => own === axis))
    .map((axis) => ({ axis, isJax: false })),
]
  .filter(({ axis }) => !axesAcrossSlices.includes(axis))
  .map(({ axis, isJax }) => ({ axis, isJax, at: axes.indexOf(axis) }))

const noWays: Ways = new Map()

/** How axes of each size may lie on placements of a mesh with axes of such sizes, with nothing between their chips, as inner axes only make them slower. */
function waysBySize(network: TorusNetwork, within: readonly number[]): ReadonlyMap<number, Ways> {
  const bySize = new Map<number, Map<string, Way>>()
  for (const chosen of unorderedNestings(network, within)) {
    for (const [index, size] of within.entries()) {
      const taken = chosen.map((nest) => nest.find((part) => part.index === index)?.size ?? 1)
      addWay(
        known(bySize, size, () => new Map<string, Way>()),
        { taken, inner: [] },
      )
    }
  }
  return bySize
}

function addWay(ways: Map<string, Way>, way: Way): void {
  ways.set(`${way.taken}@${way.inner}`, way)
}

/** Chips of inner axes on each physical axis. */
function between(topology: readonly number[], left: readonly number[]): readonly number[] {
  return topology.map((length, at) => length / (left[at] ?? 1))
}

/** What a group that lies so costs, with all physical axes as busy as the average. */
function averaged(
  network: TorusNetwork,
  terms: NetworkTerms,
  { taken, inner }: Way,
  slices: number,
): GroupCost {
  const physical = network.topology.length
  const parts = taken
    .map((size, axis) => ({ physical: axis, size, stride: inner[axis] ?? 1 }))
    .filter(({ size }) => size > 1)
  const cost = groupCost(network, { kind: 'torus', parts, slices }, terms)
  const spread = (loads: readonly number[]) => {
    const average = loads.slice(0, physical).reduce((sum, load) => sum + load, 0) / physical
    return loads.map((load, resource) => (resource < physical ? average : load))
  }
  return {
    ...cost,
    loads: spread(cost.loads),
    allToAllLoads: spread(cost.allToAllLoads),
    permuteLoads: spread(cost.permuteLoads),
  }
}

/** No group of so many chips exists; the placements will find that out, so the floor must not. */
function unreachable(network: TorusNetwork, chips: number): GroupCost {
  const none = groupCost(network, { kind: 'torus', parts: [], slices: 1 }, { ...freeNetwork })
  return { ...none, chips }
}

const freeNetwork: NetworkTerms = {
  finiteRings: true,
  scaleUpEfficiency: 1,
  scaleOutEfficiency: 1,
  latencyFactor: 0,
  inNetworkReduction: false,
  scaleUpHalfBytes: 0,
}
