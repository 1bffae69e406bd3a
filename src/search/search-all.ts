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
import { type CostModel, onCluster } from '../cost/model.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import { scheduleRow } from '../recipe/schedule.ts'
import { type Mesh, unitMesh } from '../sharding/axis.ts'
import { contextLayoutFits, plainContext } from '../sharding/tables/context-layout.ts'
import type { Seconds } from '../units.ts'
import { leastWork } from './bound/least-work.ts'
import { replicaHopes } from './bound/replica-floor.ts'
import { waitingTurns } from './bound/work-floor.ts'
import type { Accepts, Candidate } from './candidate.ts'
import { triedSchedules } from './choices.ts'
import { usualDistinct } from './distinct.ts'
import { anyFits, leastChips } from './fits.ts'
import { hopefulMeshes, type Meshes } from './meshes.ts'
import { searchParts } from './parts.ts'
import { searchSpaces, spaceOf, type Wanted } from './search.ts'
import { merged, nothingSearched, type SearchResult } from './search-result.ts'
import { noCounts, tallyOf } from './tally.ts'

export interface WantedOfAll {
  /** The best plan of all the chips, where that is not accepted: looked for until this says to stop. */
  readonly refused?: Stop
  /** Whether plans that leave chips idle are. */
  readonly fewer?: boolean
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
  { refused, fewer = true, whole = null, stop = never, late = stop }: WantedOfAll = {},
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
  const space = models.map((model) => ({
    model,
    hopes: replicaHopes(model),
    runs: runsOf(model, acceptsOf(model)),
  }))
  return searchParts<Candidate, SearchResult>({
    setting: problem,
    ...{ top, fewer, stop },
    whole: () => whole ?? searched(models, { late, ...(refused ? { refused } : {}) }),
    none: { ...nothingSearched, ...tallyOf({ ...noCounts(), constraint: 1 }, Number.POSITIVE_INFINITY) },
    floor: (part) => (part.chips < fewest ? null : secondsOn(part, workOf(sequences))),
    search: (part, limit, none) => {
      const late = (work: Seconds) => secondsOn(part, work) > limit
      const there = space.map(({ runs, hopes }) => ({ runs, hopes: hopes(part) }))
      const meshes = hopefulMeshes(
        { ...problem, cluster: part },
        {
          replicas: (replicas, each) => !late(workOf(replicas * each)),
          stages: (pipeline, replicas, each) =>
            !late(workOf(replicas * each) * (1 + leastBubble(problem, pipeline, each))),
          shards: (tensor, tensor2, context) =>
            space.some(({ runs }) => runs({ ...unitMesh, tensor, tensor2, context })),
          replica: (replica, each) =>
            there.some(({ runs, hopes }) => runs(replica) && hopes(replica, each, limit)),
        },
      )
      if (meshes.length === 0) return null
      const own = space.map(({ model }) => onCluster(model, part))
      // Memory alone is much sooner asked than times.
      if (none && !own.some((model) => anyFits(model, meshes, stop))) return null
      return searched(own, { most: limit }, { ...onlyAllowed, total: meshes.length, allowed: meshes })
    },
    join: (found, more) => merged([found, more], top, problem.distinct ?? usualDistinct),
  })
}

const onlyAllowed = { constrained: 0, indivisible: 0, unseen: 0 } as const

/** Of the work of a stage, what it waits for the others at least: each microbatch has a sequence. */
function leastBubble(problem: Problem, pipeline: number, sequencesEach: number): number {
  const { assumptions, model } = problem
  if (pipeline === 1 || assumptions.tokensDivideFreely) return 0
  const rows = triedSchedules(problem).map((name) => scheduleRow({ name }))
  if (rows.some(({ split }) => split !== null)) return 0
  const virtual = rows.reduce((most, row) => Math.max(most, row.virtualStages[1]), 1)
  return waitingTurns(pipeline, virtual, model.layers) / sequencesEach
}

/** What a framework asks of a mesh it asks of tensor, tensor2, context and expert alone. */
function runsOf({ contextLayout, problem }: CostModel, accepts: Accepts | null): (mesh: Mesh) => boolean {
  const runs = new Map<string, boolean>()
  return (mesh) => {
    const { tensor, tensor2, context, expert } = mesh
    return known(runs, `${tensor} ${tensor2} ${context} ${expert}`, () => {
      if (contextLayout !== plainContext && !contextLayoutFits(contextLayout, mesh, problem.model))
        return false
      return accepts === null || accepts.mesh({ ...unitMesh, tensor, tensor2, context, expert })
    })
  }
}

function known<Key, Value>(values: Map<Key, Value>, key: Key, made: () => Value): Value {
  const found = values.get(key)
  if (found !== undefined) return found
  const value = made()
  values.set(key, value)
  return value
}
