/**
 * Latency against cost: the plans, over all batches, meshes and layouts, that no other beats in both step time and
 * chip-seconds per token (ESTI, figure 1). Replicas (data) on the same chips stand for smaller deployments: one of n/R
 * chips with B/R sequences has the same latency and the same cost.
 */
import type { InferenceModel } from '../../inference/model.ts'
import { leastSeconds } from '../../inference/pass/arrangement.ts'
import { contextGroups } from '../../inference/pass/contexts.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { InferenceCandidate, Site } from '../../inference/phase.ts'
import { candidateOf, optimisticSeconds, sitesOf } from '../../inference/sites.ts'
import { floorSeconds } from '../../inference/time/floor.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { GenerateProblem, Setting } from '../../problem.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { evenBatches } from './even-batches.ts'
import { frontier } from './frontier.ts'
import { generationPhase } from './phase.ts'

/** A batch on a mesh, with a lower bound of its step time. */
interface Trial {
  readonly mesh: Mesh
  readonly batch: number
  readonly floor: Seconds
}

export interface Frontier {
  readonly candidates: readonly InferenceCandidate[]
  /** Pairs of mesh and batch that there was no time to examine; one of them may beat the candidates. */
  readonly unexamined: number
}

export function paretoCandidates(
  model: InferenceModel,
  problem: GenerateProblem,
  stop: Stop = never,
): Frontier {
  const { workload, cluster } = problem
  const { bench, offers } = generationPhase(model, problem)
  const costOf = (seconds: Seconds, batch: number) => (seconds * cluster.chips) / batch
  let found: readonly InferenceCandidate[] = []
  const beaten = (seconds: Seconds, batch: number) =>
    found.some(
      (point) =>
        point.seconds <= seconds &&
        costOf(point.seconds, point.pass.resident.sequences) <= costOf(seconds, batch),
    )
  const sites = new Map<Mesh, readonly Site[]>()
  // The most promising trials come first, so that most others are then ruled out by their floors alone.
  const promise = ({ floor, batch }: Trial) => floor * costOf(floor, batch)
  const { promising, meshesLeft } = trials(model, problem, stop)
  let unexamined = meshesLeft
  for (const { mesh, batch, floor } of promising.sort((a, b) => promise(a) - promise(b))) {
    if (beaten(floor, batch)) continue
    if (stop()) {
      unexamined++
      continue
    }
    const places = known(sites, mesh, () => sitesOf(bench, mesh, {}, offers(mesh)))
    const passes = stepPasses(model, workload, batch, mesh)
    const open = [...new Set(places.map(({ offered }) => offered))].filter((offered) => {
      if (beaten(leastSeconds(bench, mesh, passes[0], offered), batch)) return false
      const optimistic = () =>
        Math.min(...passes.map((pass) => optimisticSeconds(bench, mesh, pass, offered)))
      return places.length <= 2 || !beaten(optimistic(), batch)
    })
    const candidates = places
      .filter(({ offered }) => open.includes(offered))
      .flatMap((site) =>
        passes.flatMap((pass) => candidateOf(bench, site, pass, (_, seconds) => seconds) ?? []),
      )
      .filter(({ seconds }) => !beaten(seconds, batch))
    if (candidates.length === 0) continue
    found = frontier([...found, ...candidates], {
      latency: ({ seconds }) => seconds,
      cost: ({ seconds, pass }) => costOf(seconds, pass.resident.sequences),
      compare: (a, b) => b.mesh.data - a.mesh.data || a.pass.resident.sequences - b.pass.resident.sequences,
    })
  }
  return { candidates: found, unexamined }
}

/** Trials of all batches: the number that the request names is just one of them. */
function trials(
  model: InferenceModel,
  problem: GenerateProblem,
  stop: Stop,
): { readonly promising: Trial[]; readonly meshesLeft: number } {
  const anyBatch = { ...problem, workload: { ...problem.workload, batchSequences: 'max' } } as const
  const { most, meshes } = generationPhase(model, anyBatch, stop)
  const promising: Trial[] = []
  for (const [at, mesh] of meshes.allowed.entries()) {
    if (stop()) return { promising, meshesLeft: meshes.unseen + meshes.allowed.length - at }
    for (const batch of ladder(mesh, most(mesh))) {
      promising.push({ mesh, batch, floor: replicaFloor(problem, mesh, batch) })
    }
  }
  return { promising, meshesLeft: meshes.unseen }
}

/** Lower bound of a step: one replica's share of the sequences on one replica's chips. */
function replicaFloor(problem: GenerateProblem, mesh: Mesh, batch: number): Seconds {
  const { cluster, workload, model } = problem
  const replica: Setting = { ...problem, cluster: { ...cluster, chips: cluster.chips / mesh.data } }
  const past = Math.max(0, Math.min(workload.meanContextLength, workload.contextLength) - 1)
  const contexts = contextGroups(model, past, 1)
  return floorSeconds(replica, { sequences: batch / mesh.data, positions: 1, headPositions: 1, contexts })
}

/** Batches to try: 1, 2, 3, 4, 6, 8, 12, ... sequences per replica, and the even ones near the most that fit. */
function ladder(mesh: Mesh, most: number): readonly number[] {
  const each = Math.floor(most / replicasOf(mesh))
  const steps: number[] = []
  for (let power = 1; power <= each; power *= 2) {
    steps.push(power * replicasOf(mesh))
    if (power >= 2 && power * 1.5 <= each) steps.push(power * 1.5 * replicasOf(mesh))
  }
  return [...new Set([...steps, ...(most > 0 ? evenBatches(mesh, most) : [])])]
}
