/**
 * The search over all ways to meet keys, on all the chips and then on ever fewer of them (parts.ts).
 *
 * A number n of chips, and with it every smaller number, is dropped when the work alone is over the limit,
 *
 *   C(S) / n + overhead > limit      C the chip-seconds of all matmuls and kernels, S the sequences of the batch
 *
 * or when the states of the model are over the budget. Of the meshes of n chips, those are dropped of which one replica, alone with its
 * share of the batch, is over the limit already (search/bound/replica-floor.ts). What is dropped so is not counted as enumerated.
 */

import { createScale } from '../cost/compile/term.ts'
import type { CostModel } from '../cost/model.ts'
import { onCluster } from '../cost/posed.ts'
import { alone } from '../crew.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { never, type Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import { contextLayoutFits, plainContext } from '../sharding/tables/context-layout.ts'
import { leastThat } from '../threshold.ts'
import type { Seconds } from '../units.ts'
import { chipsFloor } from './bound/chips-floor.ts'
import { knownBefore } from './bound/known-before.ts'
import { type ReplicaHope, replicaHopes } from './bound/replica-floor.ts'
import { usualDistinct } from './distinct.ts'
import { anyFits, leastChips } from './fits.ts'
import type { Accepts, Candidate } from './layouts/candidate.ts'
import { type Hopes, hopefulMeshes } from './meshes/hopeful-meshes.ts'
import { type HopesAnywhere, hopefulReplicas } from './meshes/hopeful-replicas.ts'
import type { Meshes } from './meshes/meshes.ts'
import { type ReplicasOn, type Runnable, replicasThat } from './meshes/replicas.ts'
import { type PartSearch, searchParts } from './parts.ts'
import { noneRefused, type Refused } from './refused.ts'
import { createWorkbench, searchSpaces, spaceOf, type Wanted } from './search.ts'
import { merged, nothingSearched, type SearchResult } from './search-result.ts'
import { noCounts, tallyOf } from './tally.ts'

export interface WantedOfAll extends Omit<Wanted, 'most'> {
  /** Whether plans that leave chips idle are wanted. */
  readonly fewer?: boolean
  /** The result for all the chips, when it is known already and they need not be searched. */
  readonly whole?: SearchResult | null
  readonly stop?: Stop
}

export interface WholeSearch extends SearchResult, Refused {
  /** The best accepted plan that takes all chips; null when there is none, or none was looked for. */
  readonly onAll: Candidate | null
}

export function searchAll(
  models: readonly CostModel[],
  top: number,
  acceptsOf: (model: CostModel) => Accepts | null = () => null,
  wanted: WantedOfAll = {},
): WholeSearch {
  const [first] = models
  if (!first) throw new RangeError('There is no cost model')
  const { fewer = true, whole, stop = never, crew = alone, ...ofMeshes } = wanted
  const { problem } = first
  const shared = models.map(knownBefore)
  const scale = createScale()
  const spacesOf = (on: readonly CostModel[], among?: Meshes) =>
    on.map((model, at) => spaceOf(createWorkbench(model, acceptsOf(model), stop, scale), among, shared[at]))
  let refusedOnAll = (): Refused => noneRefused
  const onAllChips = (): SearchResult => {
    const { refused, ...found } = searchSpaces(spacesOf(models), top, stop, { ...ofMeshes, crew })
    refusedOnAll = refused
    return found
  }
  const work = chipsFloor(first)
  const fewest = leastChips(first)
  const hopes = models.map((model, at) => replicaHopes(model, shared[at]))
  const replicas = replicasThat(problem, runnable(models, models.map(acceptsOf)))
  const hopesWithin = (limit: Seconds, hopesOf: (space: number) => ReplicaHope | undefined): Hopes => ({
    work: (chips, count) => work.of(chips, count) <= limit,
    stages: (chips, count, pipeline) => work.ofStages(chips, count, pipeline) <= limit,
    replica: ({ mesh, spaces }, each) => spaces.some((space) => hopesOf(space)?.(mesh, each, limit)),
    divided: ({ mesh, spaces }, each) => spaces.some((space) => hopes[space]?.divided(mesh, each, limit)),
  })
  const hopesAnywhere = (limit: Seconds): HopesAnywhere => {
    const fewest = leastThat(problem.cluster.chips, (chips) => work.of(chips) <= limit) ?? noChips
    const paced = hopes.map((of) => of.paced(fewest))
    return {
      ...hopesWithin(limit, (space) => hopes[space]?.anywhere),
      fewest,
      paced: ({ mesh, spaces }, pipeline, each) =>
        spaces.some((space) => paced[space]?.(mesh, pipeline, each, limit)),
    }
  }
  const found = searchParts<Candidate, SearchResult>({
    setting: problem,
    ...{ top, fewer, round: { first: 8, most: 64 } },
    whole: () => whole ?? onAllChips(),
    none: { ...nothingSearched, ...tallyOf({ ...noCounts(), constraint: 1 }, Number.POSITIVE_INFINITY) },
    floor: ({ chips }) => (chips < fewest ? null : work.of(chips)),
    within: (limit) => {
      // Without a limit every number of chips has some replicas, which take less memory when listed one number at a time.
      const some =
        limit < Number.POSITIVE_INFINITY
          ? hopefulReplicas(problem, replicas, hopesAnywhere(limit), stop, crew)
          : null
      const on: ReplicasOn = some ? (chips) => some.get(chips) ?? [] : replicas.on
      return { hopeful: (chips) => some?.has(chips) ?? true, search: searchOn(on) }
    },
    join: (found, more) => merged([found, more], top, problem.distinct ?? usualDistinct),
  })
  const { refused, unsought } = refusedOnAll()
  const least = found.candidates[0]?.score ?? Number.POSITIVE_INFINITY
  return { ...found, refused: refused && refused.score < least ? refused : null, unsought }

  /** Searches the meshes of all the parts in one order, so that what is found on one bounds the others. */
  function searchOn(replicasOn: ReplicasOn): PartSearch<SearchResult>['search'] {
    return (parts, limit, none) => {
      const listed = crew.all(parts, (part) => (stop() ? null : meshesOn(part, replicasOn, limit, none)), {
        stop,
      })
      const left = parts.filter((_, at) => !listed[at])
      const spaces = parts.flatMap((part, at) => {
        const allowed = listed[at] ?? []
        if (allowed.length === 0) return []
        const among: Meshes = { ...onlyAllowed, total: allowed.length, allowed }
        return spacesOf(
          models.map((model) => onCluster(model, part)),
          among,
        )
      })
      if (spaces.length === 0) return { found: null, left }
      // What comes nearest on a part is told only where all the chips were searched for it and have nothing.
      const fits = whole !== undefined && whole !== null
      const { refused: _none, ...found } = searchSpaces(spaces, top, stop, { most: limit, fits, crew })
      return { found, left }
    }
  }

  /** No meshes when nothing fits; that is asked only while nothing is listed. */
  function meshesOn(part: Cluster, replicasOn: ReplicasOn, limit: number, none: boolean): readonly Mesh[] {
    const hopesOn = hopes.map(({ on }) => on(part))
    const hopesThere = hopesWithin(limit, (space) => hopesOn[space])
    const meshes = hopefulMeshes({ ...problem, cluster: part }, replicasOn, hopesThere)
    // Memory alone is asked much sooner than times.
    const fits = () => models.some((model) => anyFits(onCluster(model, part), meshes, stop))
    return meshes.length > 0 && none && !fits() ? [] : meshes
  }
}

const noChips = Number.POSITIVE_INFINITY

const onlyAllowed = { constrained: 0, indivisible: 0, unseen: 0 } as const

function runnable(models: readonly CostModel[], accepts: readonly (Accepts | null)[]): Runnable {
  const runs = models.map((model, space) => runsOf(model, accepts[space] ?? null))
  const contexts = accepts.map((own) => own?.contexts ?? null)
  return {
    spacesOf: (mesh) => runs.flatMap((run, space) => (run(mesh) ? [space] : [])),
    contexts: contexts.includes(null)
      ? null
      : [...new Set(contexts.flatMap((sizes) => sizes ?? []))].sort((a, b) => a - b),
  }
}

function runsOf({ contextLayout, problem }: CostModel, accepts: Accepts | null): (mesh: Mesh) => boolean {
  return (mesh) =>
    (contextLayout === plainContext || contextLayoutFits(contextLayout, mesh, problem.model)) &&
    (accepts === null || accepts.mesh(mesh) !== null)
}
