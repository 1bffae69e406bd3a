/**
 * What groups of chips cost on one network, each worked out once. A group is known by the ways in which its axes lie, numbers that
 * stand one after the other, so that asking for it again makes nothing. Networks that price every group alike share what is known:
 * behind switches those are all numbers of chips that fill every tier but an unbounded outermost, but for groups that straddle nodes, of which it hangs on the
 * number of chips how many there are, and so how the worst of them lies.
 */
import type { Network, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'
import { filledTiers } from '../../hardware/cluster/resized-cluster.ts'
import { groupCost } from '../../hardware/network/collective.ts'
import type { Group } from '../../hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../hardware/network/group-cost.ts'
import { straddles } from '../../hardware/network/switched-collective.ts'
import { known, rememberedOf } from '../../known.ts'
import { lasting, type Recent, recent, valueKey } from '../../recent.ts'
import { beyondAnyAxis } from '../../sharding/axis.ts'

export interface GroupPrices {
  /** The same object for networks that price alike what straddles no unit. */
  readonly alike: object
  /** How one axis lies that has the group, or ranks of one stride, to itself. */
  readonly wayOf: (group: Group) => number
  readonly rankedWay: (size: number, stride: number) => number
  /** Of the axes at `over`, by how each lies: those that are 0 have one chip and are no part of it. */
  readonly find: (over: readonly number[], ways: readonly number[]) => GroupCost | null
  /** Prices the group that lies so. */
  readonly of: (over: readonly number[], ways: readonly number[], group: Group) => GroupCost
  /** The least of both, term by term. */
  readonly lesser: (a: GroupCost, b: GroupCost) => GroupCost
}

/** Groups whose axes lie in the ways that lead here. */
interface Place {
  cost: GroupCost | null
  readonly next: Map<number, Place>
}

interface Table {
  readonly root: Place
  count: number
}

/** What networks know together. */
interface Shared extends Table {
  readonly alike: object
  /** Numbers of ways that are no ranks of one stride, and of the groups that lie so: placements are kept, and groups with them. */
  readonly texts: Map<string, number>
  readonly numbers: WeakMap<Group, number>
  readonly least: WeakMap<GroupCost, WeakMap<GroupCost, GroupCost>>
  /** Of groups that straddle a unit, by number of chips. */
  readonly straddling: Recent<Table>
}

/** A search meets some thousands of distinct groups; the bounds only guard against absurd clusters, and against ever new ones. */
const mostKnown = 50_000
const networksKnown = 12
/** A search of 2048 chips asks for parts of some 330 sizes, most of which have a few such groups. */
const sizesKnown = 400

export function groupPrices(network: Network, terms: NetworkTerms): GroupPrices {
  const shared = known(priced, pricedBy(network, terms), nothingShared)
  const { texts, numbers, least } = shared
  const chips = network.kind === 'switched' ? (network.chips ?? Number.POSITIVE_INFINITY) : 0
  const own = known(shared.straddling, `${chips}`, table)
  const straddling = (size: number, stride: number) =>
    network.kind === 'switched' && straddles(network, size, stride)
  /** Ways that straddle a unit are below 0. */
  const rankedWay = (size: number, stride: number) => {
    const way = size * beyondAnyAxis + stride
    return straddling(size, stride) ? -way : way
  }
  const tableOf = (over: readonly number[], ways: readonly number[]): Table => {
    for (const axis of over) if ((ways[axis] ?? 0) < 0) return own
    return shared
  }
  return {
    alike: shared.alike,
    wayOf: (group) => {
      const spans = group.kind === 'switched' ? group.spans : []
      const [span, ...others] = spans
      if (span && others.length === 0) return rankedWay(span.size, span.stride)
      // Less than of any ranks.
      const way = known(numbers, group, () => known(texts, groupKey(group), () => texts.size + 1))
      return spans.some(({ size, stride }) => straddling(size, stride)) ? -way : way
    },
    rankedWay,
    find: (over, ways) => {
      let at: Place | undefined = tableOf(over, ways).root
      for (const axis of over) {
        const way = ways[axis] ?? 0
        if (way !== 0) at = at?.next.get(way)
      }
      return at?.cost ?? null
    },
    of: (over, ways, group) => {
      const cost = groupCost(network, group, terms)
      const table = tableOf(over, ways)
      if (table.count >= mostKnown) return cost
      table.count++
      let at = table.root
      for (const axis of over) {
        const way = ways[axis] ?? 0
        if (way !== 0) at = known(at.next, way, place)
      }
      at.cost = cost
      return cost
    },
    lesser: (a, b) => {
      if (a === b) return a
      const beside = known(least, a, () => new WeakMap<GroupCost, GroupCost>())
      return known(beside, b, () => lesser(a, b))
    },
  }
}

const priced = lasting<Shared>(networksKnown)

function table(): Table {
  return { root: place(), count: 0 }
}

function nothingShared(): Shared {
  return {
    ...table(),
    alike: {},
    texts: new Map(),
    numbers: new WeakMap(),
    least: new WeakMap(),
    straddling: recent(sizesKnown),
  }
}

function place(): Place {
  return { cost: null, next: new Map() }
}

function groupKey(group: Group): string {
  let key = group.kind === 'torus' ? `${group.slices}/` : ''
  if (group.kind === 'switched') for (const { size, stride } of group.spans) key += `${size}@${stride},`
  else for (const { physical, size, stride } of group.parts) key += `${physical}:${size}@${stride},`
  return key
}

/** All that the price of a group hangs on that straddles nothing, beside how it lies. */
export function pricedBy(network: Network, terms: NetworkTerms): string {
  const { finiteRings, scaleUpEfficiency, scaleOutEfficiency, latencyFactor } = terms
  const { inNetworkReduction, scaleUpHalfBytes, directSeconds = null } = terms
  const rates = [finiteRings, scaleUpEfficiency, scaleOutEfficiency, latencyFactor, inNetworkReduction]
  const ofTerms = [...rates, scaleUpHalfBytes, directSeconds].join()
  if (network.kind === 'torus') return `${valueKey(network)} ${ofTerms}`
  const { tiers, chips = Number.POSITIVE_INFINITY } = network
  return `${tiersKey(tiers)} ${chips > mostCutOff(network) ? '' : chips} ${ofTerms}`
}

const tiersKey = rememberedOf((tiers: SwitchedNetwork['tiers']) => valueKey(tiers))

/** Chips of all tiers but an outermost without end: of more chips than these no group that straddles nothing is cut off by how many there are. */
function mostCutOff(network: SwitchedNetwork): number {
  const outermost = network.tiers.at(-1)?.size ?? null
  return outermost === null ? filledTiers(network) : Number.POSITIVE_INFINITY
}

export function lesser(a: GroupCost, b: GroupCost): GroupCost {
  if (a === b) return a
  const least = (x: readonly number[], y: readonly number[]) =>
    x.map((value, index) => Math.min(value, y[index] ?? value))
  const perByte = Math.min(a.perByte, b.perByte)
  return {
    chips: a.chips,
    perByte,
    allReducePerByte: perByte > 0 ? leastOfAllReduce(a, b, perByte) : 0,
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

/** An all-reduce loads the network as so many gathers; the bound takes the fewer of both, and rounding does not put it above either. */
function leastOfAllReduce(a: GroupCost, b: GroupCost, perByte: number): number {
  const gathers = Math.min(gathersOfAllReduce(a), gathersOfAllReduce(b))
  return Math.min(a.allReducePerByte, b.allReducePerByte, perByte * gathers)
}

function gathersOfAllReduce({ perByte, allReducePerByte }: GroupCost): number {
  return allReducePerByte / perByte
}
