/**
 * What the collectives of one placement cost, by set of mesh axes; and what they cost at best, on any placement.
 *
 * The best case is a bound on every placement, term by term: on a torus each group lies as well as one of its size can (torus-best.ts),
 * and no resource is busier than the average; on a switched network it is the least over the placements that there are,
 * resource by resource.
 */
import type { Network } from '../../hardware/cluster/cluster.ts'
import { type Group, union } from '../../hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { type Placement, rankStrides, sliceAssignments } from '../../hardware/network/placement.ts'
import { known, remembered, rememberedOf } from '../../known.ts'
import { lasting } from '../../recent.ts'
import { type Axis, type AxisSet, axes, axesOf, axisSets, type Mesh } from '../../sharding/axis.ts'
import { type GroupPrices, groupPrices, pricedBy } from './group-prices.ts'
import { type ReplicaCosts, type TorusBest, torusBest } from './torus-best.ts'

/** Indexed by axis set; only sets that the layouts move over and that have more than one chip have an entry. */
export type NetworkCosts = readonly (GroupCost | undefined)[]

/** Prices placements on one network; groups that lie alike are priced once. */
export interface NetworkPrices {
  readonly placed: (placement: Placement, mesh: Mesh) => NetworkCosts
  /** One for each way to share out the slices: every placement costs at least as much as one of them. */
  readonly bestCases: (mesh: Mesh) => readonly NetworkCosts[]
  /** What groups inside of a replica cost at best by their sizes alone, and so the same for all meshes with like replicas. */
  readonly bySize: (mesh: Mesh) => NetworkCosts
  /** The same object for networks of which what is inside of like replicas costs the same where it is of the same kind. */
  readonly alike: object
  /** Best cases of meshes with like replicas cost the same inside of these where this is the same for them. */
  readonly kindOf: (mesh: Mesh) => number
  /** The same by sizes alone. */
  readonly kindBySize: (mesh: Mesh) => number
  /** The least of both, set by set and term by term, of one mesh. */
  readonly lesser: (a: NetworkCosts, b: NetworkCosts, mesh: Mesh) => NetworkCosts
}

/** Kept for as long as few others are asked about, with what meshes cost at best: later requests of the same chips find them again. */
export function networkPrices(
  network: Network,
  sets: readonly AxisSet[],
  terms: NetworkTerms,
): NetworkPrices {
  const chips = network.kind === 'switched' ? network.chips : ''
  return known(kept, `${pricedBy(network, terms)} ${chips} ${sets}`, () => pricesOn(network, sets, terms))
}

/** A search of 2048 chips prices groups on parts of some ninety sizes, for each way to divide a sequence. */
const kept = lasting<NetworkPrices>(400)

function pricesOn(network: Network, sets: readonly AxisSet[], terms: NetworkTerms): NetworkPrices {
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
  const torus = network.kind === 'torus' ? torusBest(network, terms) : null
  const bestOnTorus = (mesh: Mesh, slices: Slices, best: TorusBest, inReplica: ReplicaCosts['costs']) => {
    const across = axes.map((axis) => slices[axis] ?? 1)
    const sizes = axes.map((axis) => mesh[axis])
    return bySet(mesh, (over) => {
      const [axis = 0] = over
      const own = over.length === 1 ? inReplica[axis] : undefined
      if (own) return own
      let [chips, joined] = [1, 1]
      for (const axis of over) {
        chips *= sizes[axis] ?? 1
        joined *= across[axis] ?? 1
      }
      return best.ofSize(chips / joined, joined)
    })
  }
  const bestCasesOf = (mesh: Mesh): readonly NetworkCosts[] => {
    if (network.kind === 'torus' && torus) {
      const { costs } = torus.ofReplica(mesh)
      return sliceAssignments(network, mesh).map((slices) => bestOnTorus(mesh, slices, torus, costs))
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
  const bestCases = rememberedOf(bestCasesOf)
  const lesserCosts = (a: NetworkCosts, b: NetworkCosts, mesh: Mesh): NetworkCosts => {
    if (a === b) return a
    return bySet(mesh, (_, set) => {
      const [one, other] = [a[set], b[set]]
      return one && other && prices.lesser(one, other)
    })
  }
  const bySize = (mesh: Mesh): NetworkCosts =>
    torus ? bestOnTorus(mesh, {}, torus, []) : (bestCases(mesh)[0] ?? noCosts)
  const straddling = straddlingKinds(network, prices)
  return {
    ...{ placed, bestCases, bySize, lesser: lesserCosts },
    alike: torus ?? prices.alike,
    kindOf: torus ? (mesh) => torus.ofReplica(mesh).kind : straddling,
    kindBySize: torus ? () => 0 : straddling,
  }
}

/** Behind switches groups inside of a replica cost the same on any number of chips, but for those that straddle units: 0, or the chips that they hang on. */
function straddlingKinds(network: Network, { rankedWay }: GroupPrices): (mesh: Mesh) => number {
  const chips = (network.kind === 'switched' ? network.chips : null) ?? Number.POSITIVE_INFINITY
  let last: Mesh | null = null
  let kind = 0
  return (mesh) => {
    if (mesh === last) return kind
    last = mesh
    kind = 0
    let stride = 1
    for (const axis of axesInside) {
      const size = mesh[axis]
      if (size > 1 && rankedWay(size, stride) < 0) kind = chips
      stride *= size
    }
    return kind
  }
}

/** As ranks count through them. */
const axesInside: readonly Axis[] = ['tensor', 'tensor2', 'context', 'expert']

const noCosts = new Array<GroupCost | undefined>(axisSets).fill(undefined)

/** Slices that axes cross; 1 where an axis is not named. */
type Slices = Readonly<Partial<Record<Axis, number>>>

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
