/**
 * What a mesh costs on its placements, in a tree over those that are launched in one way: of several together no collective costs less than
 * the least of them, term by term, and no step takes less than with that (cost/communication/network.ts). So one step time may rule out many placements.
 */
import type { NetworkCosts, NetworkPrices } from '../../cost/communication/network.ts'
import type { CostModel } from '../../cost/model.ts'
import { inBlocks } from '../../crew.ts'
import { type Placement, placements } from '../../hardware/network/placement.ts'
import { known, once } from '../../known.ts'
import { axes, type Mesh } from '../../sharding/axis.ts'

/** A placement with its costs by axis set. */
interface Placed {
  readonly placement: Placement
  readonly costs: NetworkCosts
}

/** Placements beside each other in the order in which they are listed, with costs that none of them is under. */
export interface PlacedTogether {
  readonly costs: NetworkCosts
  readonly among: readonly AnyPlaced[]
}

export type AnyPlaced = Placed | PlacedTogether

export interface PlacedCosts {
  /** What no placement is under, wherever it may be. */
  readonly anywhere: readonly NetworkCosts[]
  /**
   * All placements that are launched in one way, which is the order of ranks, or how axes cross slices; for each of these. They are listed
   * and priced when first asked for, as most meshes fall by what they can be at best.
   */
  readonly ways: () => readonly PlacedTogether[]
}

export function placedCosts(model: CostModel, mesh: Mesh, given?: readonly Placement[]): PlacedCosts {
  const { prices, problem } = model
  const ways = once(() => {
    const byRanks = new Map<string, Placed[]>()
    for (const placement of given ?? placements(problem.cluster.network, mesh)) {
      const placed = { placement, costs: prices.placed(placement, mesh) }
      known(byRanks, ranksOf(placement), (): Placed[] => []).push(placed)
    }
    return [...byRanks.values()].map((placed) => together(placed, mesh, prices))
  })
  // The few that are given are priced at once, which says more than what any of that size may be.
  const anywhere = given && given.length > 0 ? ways().map(({ costs }) => costs) : prices.bestCases(mesh)
  return { anywhere, ways }
}

/** With more of them a bound rules out more at once, and less often. */
const mostTogether = 4

function together(placed: readonly Placed[], mesh: Mesh, { lesser }: NetworkPrices): PlacedTogether {
  const under = (among: readonly AnyPlaced[]): PlacedTogether => {
    return { costs: among.map(({ costs }) => costs).reduce((a, b) => lesser(a, b, mesh)), among }
  }
  let among: readonly AnyPlaced[] = placed
  while (among.length > mostTogether) among = inBlocks(among, mostTogether).map(under)
  return under(among)
}

/** Any of them: what frameworks are asked of the way in which they are launched is the same for all. */
export function firstOf({ among: [one] }: PlacedTogether): Placement | undefined {
  return one && ('placement' in one ? one.placement : firstOf(one))
}

function ranksOf({ groups }: Placement): string {
  return axes
    .map((axis) => {
      const group = groups[axis]
      return group.kind === 'torus' ? group.slices : group.spans.map(({ stride }) => stride).join()
    })
    .join(' ')
}
