/**
 * The search over all ways to meet keys, on all the chips and then on ever fewer of them (parts.ts).
 *
 * A number n of chips is dropped, and with it all that are less, where the work alone is over the limit,
 *
 *   C(S) / n + overhead > limit      C the chip-seconds of all matmuls and kernels, S the sequences of the batch
 *
 * or the states of the model are over the budget; of the meshes of n chips those one replica of which, alone with its share of
 * the batch, is over the limit already (replica-floor.ts). What is dropped so is not counted as enumerated.
 */

import type { CostModel } from '../cost/model.ts'
import { onCluster } from '../cost/posed.ts'
import { never, type Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import { contextLayoutFits, plainContext } from '../sharding/tables/context-layout.ts'
import type { Seconds } from '../units.ts'
import { chipsFloor } from './bound/chips-floor.ts'
import { type ReplicaHope, replicaHopes } from './bound/replica-floor.ts'
import { usualDistinct } from './distinct.ts'
import { anyFits, leastChips } from './fits.ts'
import type { Accepts, Candidate } from './layouts/candidate.ts'
import { type Hopes, hopefulMeshes } from './meshes/hopeful-meshes.ts'
import { hopefulReplicas } from './meshes/hopeful-replicas.ts'
import type { Meshes } from './meshes/meshes.ts'
import { type ReplicasOn, replicasThat } from './meshes/replicas.ts'
import { type PartSearch, searchParts } from './parts.ts'
import { searchSpaces, spaceOf, type Wanted } from './search.ts'
import { merged, nothingSearched, type SearchResult } from './search-result.ts'
import { noCounts, tallyOf } from './tally.ts'

export interface WantedOfAll {
  /** The best plan of all the chips, where that is not accepted: looked for until this says to stop. */
  readonly refused?: Stop
  /** Whether plans that leave chips idle are. */
  readonly fewer?: boolean
  /** Something is known to fit. */
  readonly fits?: boolean
  /** What is known of all the chips, where they need not be searched. */
  readonly whole?: SearchResult | null
  readonly stop?: Stop
  /** Once it is late to look for floors, the meshes that have one are searched. */
  readonly late?: Stop
}

export interface WholeSearch extends SearchResult {
  /** The best that takes all chips, of those that are accepted: null where there is none, or none was looked for. */
  readonly onAll: Candidate | null
}

export function searchAll(
  models: readonly CostModel[],
  top: number,
  acceptsOf: (model: CostModel) => Accepts | null = () => null,
  { refused, fewer = true, fits = false, whole = null, stop = never, late = stop }: WantedOfAll = {},
): WholeSearch {
  const [first] = models
  if (!first) throw new RangeError('There is no cost model')
  const { problem } = first
  const searched = (on: readonly CostModel[], wanted: Wanted, among?: Meshes) => {
    const spaces = on.map((model) => spaceOf(model, acceptsOf(model), stop, among))
    return searchSpaces(spaces, top, stop, wanted)
  }
  const work = chipsFloor(first)
  const fewest = leastChips(first)
  const hopes = models.map((model) => replicaHopes(model))
  const runs = models.map((model) => runsOf(model, acceptsOf(model)))
  const replicas = replicasThat(problem, (mesh) => runs.flatMap((run, space) => (run(mesh) ? [space] : [])))
  const hopesWithin = (limit: Seconds, hopesOf: (space: number) => ReplicaHope | undefined): Hopes => ({
    work: (chips, count) => work.of(chips, count) <= limit,
    stages: (chips, count, pipeline) => work.ofStages(chips, count, pipeline) <= limit,
    replica: ({ mesh, spaces }, each) => spaces.some((space) => hopesOf(space)?.(mesh, each, limit)),
  })
  return searchParts<Candidate, SearchResult>({
    setting: problem,
    ...{ top, fewer, stop },
    whole: () => whole ?? searched(models, { late, fits, ...(refused ? { refused } : {}) }),
    none: { ...nothingSearched, ...tallyOf({ ...noCounts(), constraint: 1 }, Number.POSITIVE_INFINITY) },
    floor: ({ chips }) => (chips < fewest ? null : work.of(chips)),
    within: (limit) => {
      // Without a limit all numbers have some, which take less room one number at a time.
      const anywhere = hopesWithin(limit, (space) => hopes[space]?.anywhere)
      const some =
        limit < Number.POSITIVE_INFINITY ? hopefulReplicas(problem, replicas, anywhere, stop) : null
      const on: ReplicasOn = some ? (chips) => some.get(chips) ?? [] : replicas.on
      return { hopeful: (chips) => some?.has(chips) ?? true, search: searchPart(on) }
    },
    join: (found, more) => merged([found, more], top, problem.distinct ?? usualDistinct),
  })

  function searchPart(replicasOn: ReplicasOn): PartSearch<SearchResult>['search'] {
    return (part, limit, none) => {
      const there = hopes.map(({ on }) => on(part))
      const hopesThere = hopesWithin(limit, (space) => there[space])
      const meshes = hopefulMeshes({ ...problem, cluster: part }, replicasOn, hopesThere)
      if (meshes.length === 0) return null
      const own = models.map((model) => onCluster(model, part))
      // Memory alone is much sooner asked than times.
      if (none && !own.some((model) => anyFits(model, meshes, stop))) return null
      return searched(own, { most: limit }, { ...onlyAllowed, total: meshes.length, allowed: meshes })
    }
  }
}

const onlyAllowed = { constrained: 0, indivisible: 0, unseen: 0 } as const

function runsOf({ contextLayout, problem }: CostModel, accepts: Accepts | null): (mesh: Mesh) => boolean {
  return (mesh) =>
    (contextLayout === plainContext || contextLayoutFits(contextLayout, mesh, problem.model)) &&
    (accepts === null || accepts.mesh(mesh))
}
