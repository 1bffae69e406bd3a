/**
 * What the collectives of one placement cost, by set of mesh axes; and what they cost at best, on any placement.
 *
 * The best case is a bound on every placement, term by term: on a torus each group lies as well as a group of its size can,
 * and no resource is busier than the average; on a switched network it is the least over the placements that there are,
 * resource by resource.
 */
import type { Network, TorusNetwork } from '../../hardware/cluster/cluster.ts'
import { groupCost } from '../../hardware/network/collective.ts'
import { type Group, union } from '../../hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { factorings, type Placement, placements, sliceAssignments } from '../../hardware/network/placement.ts'
import { type Axis, type AxisSet, axes, axesOf, axisSets, type Mesh } from '../../sharding/axis.ts'

/** Indexed by axis set; only sets that the layouts move over and that have more than one chip have an entry. */
export type NetworkCosts = readonly (GroupCost | undefined)[]

/** Prices placements on one network; groups that lie alike are priced once. */
export interface NetworkPrices {
  readonly placed: (placement: Placement, mesh: Mesh) => NetworkCosts
  /** One for each way to share out the slices: every placement costs at least as much as one of them. */
  readonly bestCases: (mesh: Mesh) => readonly NetworkCosts[]
}

export function networkPrices(
  network: Network,
  sets: readonly AxisSet[],
  terms: NetworkTerms,
): NetworkPrices {
  const known = new Map<string, GroupCost>()
  const members = sets.map((set) => ({ set, over: axesOf(set) }))
  const bySet = (mesh: Mesh, price: (over: readonly Axis[]) => GroupCost): NetworkCosts => {
    const costs = new Array<GroupCost | undefined>(axisSets).fill(undefined)
    for (const { set, over } of members) if (over.some((axis) => mesh[axis] > 1)) costs[set] = price(over)
    return costs
  }
  const lying = ({ placement, keys }: Lying, mesh: Mesh, over: readonly Axis[]): GroupCost => {
    let key = ''
    for (const axis of over) if (mesh[axis] > 1) key += keys[axis] ?? ''
    const found = known.get(key)
    if (found) return found
    const groups = over.filter((axis) => mesh[axis] > 1).map((axis) => placement.groups[axis])
    const price = groupCost(network, union(groups, network.kind), terms)
    if (known.size < mostKnown) known.set(key, price)
    return price
  }
  const placed = (placement: Placement, mesh: Mesh) => {
    const there = lyingAs(placement)
    return bySet(mesh, (over) => lying(there, mesh, over))
  }
  const bestBySize = new Map<string, GroupCost>()
  const bestOnTorus = (torus: TorusNetwork, mesh: Mesh, slices: Readonly<Partial<Record<Axis, number>>>) =>
    bySet(mesh, (over) => {
      let chips = 1
      let across = 1
      for (const axis of over) {
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
    const [first, ...others] = placements(network, mesh).map(lyingAs)
    if (!first) return []
    return [
      bySet(mesh, (over) =>
        others.reduce((least, one) => lesser(least, lying(one, mesh, over)), lying(first, mesh, over)),
      ),
    ]
  }
  return { placed, bestCases }
}

/** A search meets some thousands of distinct groups; the limit only guards against absurd clusters. */
const mostKnown = 200_000

/** A placement, with a text for each axis that says how its group lies. */
interface Lying {
  readonly placement: Placement
  readonly keys: Readonly<Partial<Record<Axis, string>>>
}

function lyingAs(placement: Placement): Lying {
  const keys: Partial<Record<Axis, string>> = {}
  for (const axis of axes) keys[axis] = groupKey(placement.groups[axis])
  return { placement, keys }
}

function groupKey(group: Group): string {
  let key = group.kind === 'torus' ? `${group.slices}/` : ''
  if (group.kind === 'switched') for (const { size, stride } of group.spans) key += `${size}@${stride},`
  else for (const { physical, size, stride } of group.parts) key += `${physical}:${size}@${stride},`
  return `${key}+`
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

function lesser(a: GroupCost, b: GroupCost): GroupCost {
  if (a === b) return a
  const least = (x: readonly number[], y: readonly number[]) =>
    x.map((value, index) => Math.min(value, y[index] ?? value))
  const perByte = Math.min(a.perByte, b.perByte)
  return {
    chips: a.chips,
    perByte,
    // An all-reduce loads the network as so many gathers; the bound takes the fewer of both.
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
