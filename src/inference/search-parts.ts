/**
 * The search of a phase on all the chips, and then on ever fewer of them (search/parts.ts).
 *
 * A mesh on a part of the chips is dropped when one replica cannot be in time: its share of the sequences on its chips, at peak and
 * with weights and caches read once (inference/time/floor.ts). Meshes dropped so are not counted. When as many sequences as fit are ranked by
 * latency, all chips are taken: fewer chips hold fewer sequences, which is no answer to how many fit.
 */
import { peakFlops } from '../cost/compute/compute.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { never, type Stop } from '../patience.ts'
import type { Distinct, PhaseProblem } from '../problem.ts'
import { usualDistinct } from '../search/distinct.ts'
import { insert, type Order } from '../search/listed.ts'
import { searchParts } from '../search/parts.ts'
import { noCounts, sumOfTallies, tallyOf } from '../search/tally.ts'
import { familyKey, meshKey, unitMesh } from '../sharding/axis.ts'
import { hopefulInferenceMeshes, type MeshesOf } from './meshes.ts'
import { type InferenceModel, inferenceOn } from './model.ts'
import type { InferenceCandidate, Phase } from './phase.ts'
import { type InferenceResult, searchPhase, type Wanted } from './search.ts'
import { cacheBytes, floorSeconds, type Work, workFlops } from './time/floor.ts'

export type PhaseOf = (
  model: InferenceModel,
  problem: PhaseProblem,
  stop?: Stop,
  meshesOf?: MeshesOf,
) => Phase

/** What is made anew for a part of the chips. */
export interface OnPart {
  readonly phaseOf: PhaseOf
  readonly servable: (problem: PhaseProblem) => InferenceModel['servable']
}

export type PartsFound = InferenceResult & { readonly onAll: InferenceCandidate | null }

export function searchPhaseParts(
  model: InferenceModel,
  problem: PhaseProblem,
  { phaseOf, servable }: OnPart,
  { stop = never, late = stop }: Pick<Wanted, 'stop' | 'late'> = {},
): PartsFound {
  const { top, distinct = usualDistinct } = problem
  const order = byScore(distinct)
  const whole = phaseOf(model, problem)
  const floor = floorOf(problem, whole)
  const constraint = whole.meshes.allowed.length
  return searchParts<InferenceCandidate, InferenceResult>({
    setting: problem,
    ...{ top, round: { first: 1, most: 1 }, fewer: !fillsAll(problem) },
    whole: () => searchPhase(whole, top, { stop, late, distinct }),
    none: { candidates: [], ...tallyOf({ ...noCounts(), constraint }, Number.POSITIVE_INFINITY) },
    floor: ({ chips }) => floor(chips, 1),
    within: () => ({
      hopeful: () => true,
      search: ([part, ...others], limit) => {
        if (!part || stop()) return { found: null, left: part ? [part, ...others] : [] }
        return { found: searchPart(part, limit), left: others }
      },
    }),
    join: (found, more) => {
      const candidates = [...found.candidates]
      for (const candidate of more.candidates) insert(candidates, candidate, top, order)
      return { ...sumOfTallies([found, more]), candidates }
    },
  })

  function searchPart(part: Cluster, most: number): InferenceResult | null {
    const own = { ...problem, cluster: part }
    const there = inferenceOn(model, own, model.servable && servable(own))
    const phase = phaseOf(there, own, stop, (asked, demand) =>
      hopefulInferenceMeshes(asked, demand, ({ data }) => floor(part.chips, data) <= most),
    )
    return phase.meshes.allowed.length > 0 ? searchPhase(phase, top, { most, stop, distinct }) : null
  }
}

/** Keeps the best of one mesh over several parts with as many chips, and of meshes that the list does not tell apart. */
function byScore(distinct: Distinct): Order<InferenceCandidate> {
  const key = distinct === 'family' ? familyKey : meshKey
  return { same: (a, b) => key(a.mesh) === key(b.mesh), comes: (a, b) => a.score < b.score }
}

function fillsAll({ workload, objective }: PhaseProblem): boolean {
  return workload.batchSequences === 'max' && objective === 'latency'
}

/** A bound on the score with this many chips shared by this many replicas. */
function floorOf(problem: PhaseProblem, phase: Phase): (chips: number, replicas: number) => number {
  const { workload, cluster, precision } = problem
  const work = phase.work(phase.leastPass(unitMesh))
  if (workload.batchSequences === 'max') {
    // However many sequences there are, each reads its own cache and does its own arithmetic.
    const one: Work = { ...work, sequences: 1 }
    const seconds = Math.max(
      cacheBytes(problem, one) / cluster.chip.hbmBytesPerSecond,
      workFlops(problem, one) / peakFlops(cluster.chip, precision.compute),
    )
    return (chips) => (seconds / chips) * (1 - 1e-9)
  }
  return (chips, replicas) => {
    const share: Work = { ...work, sequences: work.sequences / replicas }
    return floorSeconds({ ...problem, cluster: { ...cluster, chips: chips / replicas } }, share) * (1 - 1e-9)
  }
}
