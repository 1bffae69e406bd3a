/**
 * What the collectives of one placement cost, by set of mesh axes; and what they cost at best, on any placement.
 *
 * The best case is a bound on every placement, term by term: on a torus each group lies as well as a group of its size can,
 * and no resource is busier than the average; on a switched network it is the least over the placements that there are,
 * resource by resource.
 */
import type { Network, TorusNetwork } from '../../hardware/cluster/cluster.ts'
import { factorings } from '../../hardware/cluster/factorings.ts'
import { groupCost } from '../../hardware/network/collective.ts'
import { type Group, union } from '../../hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { type Placement, rankStrides, sliceAssignments } from '../../hardware/network/placement.ts'
import { known, remembered } from '../../known.ts'
import {
  type Axis,
  type AxisSet,
  axes,
  axesOf,
  axisSets,
  beyondAnyAxis,
  type Mesh,
} from '../../sharding/axis.ts'
import { type GroupPrices, groupPrices, lesser } from './group-prices.ts'

/** Indexed by axis set; only sets that the layouts move over and that have more than one chip have an entry. */
export type NetworkCosts = readonly (GroupCost | undefined)[]

/** Prices placements on one network; groups that lie alike are priced once. */
export interface NetworkPrices {
  readonly placed: (placement: Placement, mesh: Mesh) => NetworkCosts
  /** One for each way to share out the slices: every placement costs at least as much as one of them. */
  readonly bestCases: (mesh: Mesh) => readonly NetworkCosts[]
  /** The least of both, set by set and term by term, of one mesh. */
  readonly lesser: (a: NetworkCosts, b: NetworkCosts, mesh: Mesh) => NetworkCosts
}

export function networkPrices(
  network: Network,
  sets: readonly AxisSet[],
  terms: NetworkTerms,
): NetworkPrices {
  const prices = groupPrices(network, terms)
  /** Sets over which there is more than one chip, with those that come to the same group where only some axes have more than one chip. */
  const groupsOf = remembered((large: AxisSet) => sameGroups(sets, large))
  const bySet = (
    mesh: Mesh,
    price: (over: readonly number[], any: AxisSet) => GroupCost | undefined,
  ): NetworkCosts => {
    const costs = noCosts.slice()
    for (const { over, same, any } of groupsOf(axesAbove(mesh))) {
      const cost = price(over, any)
      for (const set of same) costs[set] = cost
    }
    return costs
  }
  const priceOf = ({ ways, groupOf }: Lying, over: readonly number[]): GroupCost => {
    const found = prices.find(over, ways)
    if (found) return found
    const there = over.filter((axis) => ways[axis] !== 0)
    return prices.of(over, ways, union(there.map(groupOf), network.kind))
  }
  const placed = (placement: Placement, mesh: Mesh) => {
    const groupOf = (at: number): Group => placement.groups[axes[at] ?? 'data']
    const ways = axes.map((axis, at) => (mesh[axis] > 1 ? prices.wayOf(groupOf(at)) : 0))
    return bySet(mesh, (over) => priceOf({ ways, groupOf }, over))
  }
  const bestBySize = new Map<number, GroupCost>()
  const bestOnTorus = (torus: TorusNetwork, mesh: Mesh, slices: Readonly<Partial<Record<Axis, number>>>) => {
    const across = axes.map((axis) => slices[axis] ?? 1)
    const sizes = axes.map((axis) => mesh[axis])
    return bySet(mesh, (over) => {
      let [chips, joined] = [1, 1]
      for (const axis of over) {
        chips *= sizes[axis] ?? 1
        joined *= across[axis] ?? 1
      }
      const key = chips * beyondAnyAxis + joined
      const found = bestBySize.get(key)
      if (found) return found
      const best = bestTorusCost(torus, chips / joined, joined, terms)
      bestBySize.set(key, best)
      return best
    })
  }
  const bestCasesOf = (mesh: Mesh): readonly NetworkCosts[] => {
    if (network.kind === 'torus') {
      return sliceAssignments(network, mesh).map((slices) => bestOnTorus(network, mesh, slices))
    }
    const lying = rankStrides(mesh).map((strides) => ranked(mesh, strides, prices))
    const leastOf = (over: readonly number[]) => {
      let least: GroupCost | undefined
      for (const one of lying) {
        const cost = priceOf(one, over)
        least = least ? prices.lesser(least, cost) : cost
      }
      return least
    }
    return [bySet(mesh, leastOf)]
  }
  // One mesh is asked by several floors, one after another.
  let last: { readonly mesh: Mesh; readonly cases: readonly NetworkCosts[] } | null = null
  const bestCases = (mesh: Mesh) => {
    if (last?.mesh !== mesh) last = { mesh, cases: bestCasesOf(mesh) }
    return last.cases
  }
  const lesserCosts = (a: NetworkCosts, b: NetworkCosts, mesh: Mesh): NetworkCosts => {
    if (a === b) return a
    return bySet(mesh, (_, set) => {
      const [one, other] = [a[set], b[set]]
      return one && other && prices.lesser(one, other)
    })
  }
  return { placed, bestCases, lesser: lesserCosts }
}

const noCosts = new Array<GroupCost | undefined>(axisSets).fill(undefined)

/** Sets of axes over which the same chips are a group. */
interface SameGroup {
  /** Those of their axes that have more than one chip, by place among `axes`. */
  readonly over: readonly number[]
  readonly same: readonly AxisSet[]
  readonly any: AxisSet
}

function sameGroups(sets: readonly AxisSet[], large: AxisSet): readonly SameGroup[] {
  const bySize = new Map<AxisSet, AxisSet[]>()
  for (const set of sets) if ((set & large) !== 0) known(bySize, set & large, (): AxisSet[] => []).push(set)
  return [...bySize].map(([group, same]) => ({
    over: axesOf(group).map((axis) => axes.indexOf(axis)),
    same,
    any: same[0] ?? group,
  }))
}

/** Axes of more than one chip. */
function axesAbove(mesh: Mesh): AxisSet {
  let set = 0
  for (let at = 0; at < axes.length; at++) if (mesh[axes[at] ?? 'data'] > 1) set |= 1 << at
  return set
}

/** How the group of each axis lies, as a number: 0 where it is one chip. */
interface Lying {
  readonly ways: readonly number[]
  readonly groupOf: (axis: number) => Group
}

/** Ranks that are so far apart, by axis. */
function ranked(mesh: Mesh, strides: readonly number[], { rankedWay }: GroupPrices): Lying {
  const ways: number[] = []
  for (let at = 0; at < strides.length; at++) {
    const size = mesh[axes[at] ?? 'data']
    ways.push(size > 1 ? rankedWay(size, strides[at] ?? 1) : 0)
  }
  const groupOf = (at: number): Group => {
    return { kind: 'switched', spans: [{ size: mesh[axes[at] ?? 'data'], stride: strides[at] ?? 1 }] }
  }
  return { ways, groupOf }
}

/** The least, term by term, over all ways in which a group can lie with so many chips in each of its slices. */
function bestTorusCost(
  network: TorusNetwork,
  within: number,
  slices: number,
  terms: NetworkTerms,
): GroupCost {
  const physical = network.topology.length
  const options = factorings(within, network.topology).map((sizes): GroupCost => {
    const parts = sizes
      .map((size, axis) => ({ physical: axis, size, stride: 1 }))
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
  })
  const [first, ...others] = options
  return first ? others.reduce(lesser, first) : unreachable(network, within * slices)
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
