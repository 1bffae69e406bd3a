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

import { onCluster } from '../cost/compiled-model.ts'
import type { CostModel } from '../cost/model.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { known } from '../known.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import { scheduleRow } from '../recipe/schedule.ts'
import type { Mesh } from '../sharding/axis.ts'
import { contextLayoutFits, plainContext } from '../sharding/tables/context-layout.ts'
import type { Seconds } from '../units.ts'
import { leastWork } from './bound/least-work.ts'
import { replicaHopes } from './bound/replica-floor.ts'
import { waitingTurns } from './bound/work-floor.ts'
import { usualDistinct } from './distinct.ts'
import { anyFits, leastChips } from './fits.ts'
import type { Accepts, Candidate } from './layouts/candidate.ts'
import { triedSchedules } from './layouts/choices.ts'
import { hopefulMeshes, replicasThat } from './meshes/hopeful-meshes.ts'
import type { Meshes } from './meshes/meshes.ts'
import { searchParts } from './parts.ts'
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
  const sequences = problem.workload.batchTokens / problem.workload.sequenceLength
  const step = sequences / 128
  const works = new Map<number, Seconds>()
  // No less than of so many less those short of a step: a few are worked out for all.
  const workOf = (padded: number) => {
    const floored = sequences + Math.floor((padded - sequences) / step) * step
    return known(works, floored, () => leastWork(first, floored))
  }
  const { stepOverheadSeconds } = problem.assumptions
  const secondsOn = ({ chips }: Cluster, work: Seconds) => work / chips + stepOverheadSeconds
  const fewest = leastChips(first)
  const hopes = models.map((model) => replicaHopes(model))
  const runs = models.map((model) => runsOf(model, acceptsOf(model)))
  const replicas = replicasThat(problem, (mesh) => runs.flatMap((run, space) => (run(mesh) ? [space] : [])))
  const bubble = leastBubble(problem)
  return searchParts<Candidate, SearchResult>({
    setting: problem,
    ...{ top, fewer, stop },
    whole: () => whole ?? searched(models, { late, fits, ...(refused ? { refused } : {}) }),
    none: { ...nothingSearched, ...tallyOf({ ...noCounts(), constraint: 1 }, Number.POSITIVE_INFINITY) },
    floor: (part) => (part.chips < fewest ? null : secondsOn(part, workOf(sequences))),
    search: (part, limit, none) => {
      const late = (work: Seconds) => secondsOn(part, work) > limit
      const there = hopes.map((hopesOn) => hopesOn(part))
      const meshes = hopefulMeshes({ ...problem, cluster: part }, replicas, {
        replicas: (count, each) => !late(workOf(count * each)),
        stages: (pipeline, count, each) => !late(workOf(count * each) * (1 + bubble(pipeline, each))),
        replica: ({ mesh, spaces }, each) => spaces.some((space) => there[space]?.(mesh, each, limit)),
      })
      if (meshes.length === 0) return null
      const own = models.map((model) => onCluster(model, part))
      // Memory alone is much sooner asked than times.
      if (none && !own.some((model) => anyFits(model, meshes, stop))) return null
      return searched(own, { most: limit }, { ...onlyAllowed, total: meshes.length, allowed: meshes })
    },
    join: (found, more) => merged([found, more], top, problem.distinct ?? usualDistinct),
  })
}

const onlyAllowed = { constrained: 0, indivisible: 0, unseen: 0 } as const

/** Of the work of a stage, what it waits for the others at least: each microbatch has a sequence. */
function leastBubble(problem: Problem): (pipeline: number, sequencesEach: number) => number {
  const { assumptions, model } = problem
  const rows = triedSchedules(problem).map((name) => scheduleRow({ name }))
  if (assumptions.tokensDivideFreely || rows.some(({ split }) => split !== null)) return () => 0
  const virtual = rows.reduce((most, row) => Math.max(most, row.virtualStages[1]), 1)
  return (pipeline, sequencesEach) => waitingTurns(pipeline, virtual, model.layers) / sequencesEach
}

function runsOf({ contextLayout, problem }: CostModel, accepts: Accepts | null): (mesh: Mesh) => boolean {
  return (mesh) =>
    (contextLayout === plainContext || contextLayoutFits(contextLayout, mesh, problem.model)) &&
    (accepts === null || accepts.mesh(mesh))
}
