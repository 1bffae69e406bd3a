/**
 * The search of a phase on all the chips, and then on ever fewer of them, the others idle. Of fewer chips only plans are listed
 * that score better than every plan of all of them, unless the request says how many chips there may be.
 *
 * A mesh of a part is dropped whose replica alone cannot be done in time: its share of the sequences on its chips, at peak and
 * with weights and caches read once (floor.ts). What is dropped so is not counted. With as many sequences as fit, ranked by
 * latency, all chips are taken: fewer chips hold fewer sequences, which is no answer to how many fit.
 */
import { peakFlops } from '../cost/compute/compute.ts'
import { fewerChips } from '../hardware/cluster/fewer-chips.ts'
import { never, type Stop } from '../patience.ts'
import { type PhaseProblem, satisfies } from '../problem.ts'
import { meshKey } from '../search/candidate.ts'
import { unitMesh } from '../sharding/axis.ts'
import { hopefulInferenceMeshes, type MeshesOf } from './meshes.ts'
import { type InferenceModel, inferenceOn } from './model.ts'
import { type InferenceCandidate, type InferenceSearchResult, type Phase, searchPhase } from './search.ts'
import { cacheBytes, floorSeconds, type Work, workFlops } from './time/floor.ts'

/** Where a candidate was found. */
export interface PartFound<Problem extends PhaseProblem = PhaseProblem> {
  readonly model: InferenceModel
  readonly problem: Problem
  readonly phase: Phase
  readonly candidate: InferenceCandidate
}

export interface PartsFound extends Omit<InferenceSearchResult, 'candidates'> {
  readonly found: readonly PartFound[]
  readonly enumerated: number
  readonly divisibility: number
  readonly constraint: number
  /** The best that takes all the chips; null where no plan takes all. */
  readonly onAll: InferenceCandidate | null
}

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
  /** Once it is late to look for floors, the meshes that have one are searched. */
  readonly late?: Stop
}

export function searchParts(
  model: InferenceModel,
  problem: PhaseProblem,
  { phaseOf, servable, late }: OnPart,
  stop: Stop = never,
): PartsFound {
  const { cluster, constraints, top } = problem
  const whole = phaseOf(model, problem)
  const takesAll = satisfies(cluster.chips, constraints.chips)
  const all = takesAll ? searchPhase(model, whole, top, stop, undefined, late ?? stop) : nothing
  const [onAll = null] = all.candidates
  let found = all.candidates.map((candidate): PartFound => ({ model, problem, phase: whole, candidate }))
  const total = {
    evaluated: all.evaluated,
    pruned: all.pruned,
    infeasible: { ...all.infeasible },
    unexamined: all.unexamined,
    floor: all.floor,
  }
  let enumerated = takesAll ? whole.meshes.total : whole.meshes.allowed.length
  const worth =
    onAll && constraints.chips === undefined ? onAll.score * (1 - 1e-12) : Number.POSITIVE_INFINITY
  const last = () => (found.length < top ? Number.POSITIVE_INFINITY : (found.at(-1)?.candidate.score ?? 0))
  const floor = floorOf(problem, whole)
  for (const part of fillsAll(problem) ? [] : fewerChips(cluster)) {
    const most = Math.min(worth, last())
    if (floor(part.chips, 1) > most) break
    if (!satisfies(part.chips, constraints.chips)) continue
    if (stop()) {
      total.unexamined++
      enumerated++
      total.floor = Math.min(total.floor, floor(part.chips, 1))
      break
    }
    const own = { ...problem, cluster: part }
    const there = inferenceOn(model, part, model.servable && servable(own))
    const phase = phaseOf(there, own, stop, (asked, demand) =>
      hopefulInferenceMeshes(asked, demand, ({ data }) => floor(part.chips, data) <= most),
    )
    if (phase.meshes.allowed.length === 0) continue
    const result = searchPhase(there, phase, top, stop, most)
    enumerated += phase.meshes.total
    total.evaluated += result.evaluated
    total.pruned += result.pruned
    total.unexamined += result.unexamined
    total.floor = Math.min(total.floor, result.floor)
    total.infeasible.memory += result.infeasible.memory
    total.infeasible.topology += result.infeasible.topology
    total.infeasible.constraint += result.infeasible.constraint
    const more = result.candidates.map((candidate) => ({ model: there, problem: own, phase, candidate }))
    found = listed([...found, ...more], top)
  }
  return {
    ...total,
    found,
    enumerated,
    divisibility: takesAll ? whole.meshes.indivisible : 0,
    constraint: takesAll ? whole.meshes.constrained : whole.meshes.allowed.length,
    onAll,
  }
}

const nothing: InferenceSearchResult = {
  ...{ candidates: [], evaluated: 0, pruned: 0 },
  infeasible: { memory: 0, topology: 0, constraint: 0 },
  ...{ unexamined: 0, floor: Number.POSITIVE_INFINITY },
}

/** Of one mesh on several parts with as many chips the best. */
function listed(found: readonly PartFound[], top: number): PartFound[] {
  const keys = new Set<string>()
  return [...found]
    .sort((a, b) => a.candidate.score - b.candidate.score)
    .filter(({ candidate }) => {
      const key = meshKey(candidate.mesh)
      const first = !keys.has(key)
      keys.add(key)
      return first
    })
    .slice(0, top)
}

function fillsAll({ workload, objective }: PhaseProblem): boolean {
  return workload.mode === 'generate' && workload.batchSequences === 'max' && objective === 'latency'
}

/** In what candidates are ranked by, of one of so many replicas that share so many chips. */
function floorOf(problem: PhaseProblem, phase: Phase): (chips: number, replicas: number) => number {
  const { workload, cluster, precision } = problem
  const work = phase.work(phase.leastPass(unitMesh))
  if (workload.mode === 'generate' && workload.batchSequences === 'max') {
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
