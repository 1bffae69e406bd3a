/**
 * What the collectives of one placement cost, by set of mesh axes; and what they cost at best, on any placement.
 *
 * The best case holds for every placement, term by term: on a torus each group lies as well as a group of its size can,
 * and no resource is busier than the average; on a switched network it is the least, resource by resource, of the
 * placements there are.
 */
import type { Network, TorusNetwork } from '../../hardware/cluster/cluster.ts'
import { groupCost } from '../../hardware/network/collective.ts'
import { type Group, union } from '../../hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { factorings, type Placement, placements, sliceAssignments } from '../../hardware/network/placement.ts'
import { type Axis, type AxisSet, axesOf, axisSets, type Mesh } from '../../sharding/axis.ts'

/** By axis set; only the sets that the layouts move over, and of those the ones with more than one chip, are there. */
export type NetworkCosts = readonly (GroupCost | undefined)[]

/** Prices placements on one network; groups that lie alike are priced once. */
export interface NetworkPrices {
  readonly placed: (placement: Placement, mesh: Mesh) => NetworkCosts
  /** One per way to share out the slices: every placement is at least as dear as one of them. */
  readonly bestCases: (mesh: Mesh) => readonly NetworkCosts[]
}

export function networkPrices(
  network: Network,
  sets: readonly AxisSet[],
  terms: NetworkTerms,
): NetworkPrices {
  const known = new Map<string, GroupCost>()
  const members = sets.map((set) => ({ set, axes: axesOf(set) }))
  const priced = (key: string, price: () => GroupCost): GroupCost => {
    const found = known.get(key) ?? price()
    if (known.size < mostKnown) known.set(key, found)
    return found
  }
  const bySet = (mesh: Mesh, price: (active: readonly Axis[]) => GroupCost): NetworkCosts => {
    const costs = new Array<GroupCost | undefined>(axisSets).fill(undefined)
    for (const { set, axes } of members) {
      const active = axes.filter((axis) => mesh[axis] > 1)
      if (active.length > 0) costs[set] = price(active)
    }
    return costs
  }
  const lying = (placement: Placement, active: readonly Axis[]): GroupCost => {
    let key = ''
    for (const axis of active) key += groupKey(placement.groups[axis])
    return priced(key, () => {
      const groups = active.map((axis) => placement.groups[axis])
      return groupCost(network, union(groups, network.kind), terms)
    })
  }
  const placed = (placement: Placement, mesh: Mesh) => bySet(mesh, (active) => lying(placement, active))
  const bestBySize = new Map<string, GroupCost>()
  const bestOnTorus = (torus: TorusNetwork, mesh: Mesh, slices: Readonly<Partial<Record<Axis, number>>>) =>
    bySet(mesh, (active) => {
      let chips = 1
      let across = 1
      for (const axis of active) {
        chips *= mesh[axis]
        across *= slices[axis] ?? 1
      }
      const key = `${chips}/${across}`
      const best = bestBySize.get(key) ?? bestTorusCost(torus, chips / across, across, terms)
      bestBySize.set(key, best)
      return best
    })
  const bestCases = (mesh: Mesh): readonly NetworkCosts[] => {
    if (network.kind === 'torus') {
      return sliceAssignments(network, mesh).map((slices) => bestOnTorus(network, mesh, slices))
    }
    const [first, ...others] = placements(network, mesh)
    if (!first) return []
    return [
      bySet(mesh, (active) =>
        others.reduce((least, one) => lesser(least, lying(one, active)), lying(first, active)),
      ),
    ]
  }
  return { placed, bestCases }
}

/** A search meets some thousands of distinct groups; the bound only guards against absurd clusters. */
const mostKnown = 200_000

function groupKey(group: Group): string {
  let key = group.kind === 'torus' ? `${group.slices}/` : ''
  if (group.kind === 'switched') for (const { size, stride } of group.spans) key += `${size}@${stride},`
  else for (const { physical, size, stride } of group.parts) key += `${physical}:${size}@${stride},`
  return `${key}+`
}

/** The least, term by term, of every way that a group can lie with so many chips in each of its slices. */
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

/** No group of so many chips exists; the placements will find that out, and the floor must not. */
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

function lesser(a: GroupCost, b: GroupCost): GroupCost {
  if (a === b) return a
  const least = (x: readonly number[], y: readonly number[]) =>
    x.map((value, index) => Math.min(value, y[index] ?? value))
  const perByte = Math.min(a.perByte, b.perByte)
  return {
    chips: a.chips,
    perByte,
    // How many gathers an all-reduce loads the network as is the least of both, too.
    allReducePerByte: perByte > 0 ? perByte * Math.min(...[a, b].map(gathersOfAllReduce)) : 0,
    allToAllPerByte: Math.min(a.allToAllPerByte, b.allToAllPerByte),
    permutePerByte: Math.min(a.permutePerByte, b.permutePerByte),
    latency: Math.min(a.latency, b.latency),
    allReduceLatency: Math.min(a.allReduceLatency, b.allReduceLatency),
    allToAllLatency: Math.min(a.allToAllLatency, b.allToAllLatency),
    permuteLatency: Math.min(a.permuteLatency, b.permuteLatency),
    ramp: Math.min(a.ramp, b.ramp),
    latencyIsFloor: a.latencyIsFloor,
    loads: least(a.loads, b.loads),
    allToAllLoads: least(a.allToAllLoads, b.allToAllLoads),
    outerUnits: Math.min(a.outerUnits, b.outerUnits),
    permuteLoads: least(a.permuteLoads, b.permuteLoads),
  }
}

function gathersOfAllReduce({ perByte, allReducePerByte }: GroupCost): number {
  return allReducePerByte / perByte
}
