/**
 * Generation: each step makes one token for each of B resident sequences. A batch of `max` takes as many sequences as
 * the mesh's memory and the limit on the step allow, or slightly fewer that divide evenly (even-batches.ts): more
 * sequences never make a step shorter, nor need less memory.
 */
import type { Offered, PricedMesh } from '../../inference/layout/compiled-layout.ts'
import type { LayoutsWanted } from '../../inference/layout/layout-question.ts'
import { offersOf } from '../../inference/layout/servable.ts'
import { type Demand, inferenceMeshes, type MeshesOf } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { leastSeconds } from '../../inference/pass/arrangement.ts'
import { mostWithin } from '../../inference/pass/most-within.ts'
import { generationPass, type Pass } from '../../inference/pass/pass.ts'
import { memoryRoom } from '../../inference/pass/pass-numbers.ts'
import { secondsAt } from '../../inference/pass/settled.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { Phase } from '../../inference/phase.ts'
import { mostPositions } from '../../inference/speculation/speculation.ts'
import { benchOf, type Workbench } from '../../inference/workbench.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { GenerateWorkload, InferenceRun } from '../../problem.ts'
import { type Mesh, meshKey, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { evenBatches } from './even-batches.ts'

export interface GenerationPhase extends Phase {
  /** The most sequences that a mesh may run at once, for memory and for what a server is told, however long the step then takes. */
  readonly most: (mesh: Mesh) => number
}

export function generationPhase(
  model: InferenceModel,
  problem: InferenceRun<GenerateWorkload>,
  stop: Stop = never,
  meshesOf: MeshesOf = inferenceMeshes,
): GenerationPhase {
  const bench = benchOf(model)
  const { workload, objective } = problem
  const { batchSequences, maxStepSeconds = Number.POSITIVE_INFINITY } = workload
  const fills = batchSequences === 'max'
  const perSequence = fills && objective !== 'latency'
  const candidateBatches = (mesh: Mesh, most: number) =>
    perSequence || most === 0 ? evenBatches(mesh, most) : [most]
  // Shared by all placements of a mesh.
  const passes = new Map<string, ReturnType<typeof stepPasses>>()
  const passesOf = (batch: number, mesh: Mesh) =>
    known(passes, `${batch} ${meshKey(mesh)}`, () => stepPasses(model, workload, batch, mesh))
  // The pass of the whole batch: its matmuls are no slower than those of its halves, so that bounds are taken of it.
  const passOf = (batch: number, mesh: Mesh): Pass => passesOf(batch, mesh)[0]
  const offers = (mesh: Mesh, wanted?: LayoutsWanted) => generationOffers(model, mesh, wanted)
  const most = (mesh: Mesh) =>
    Math.max(0, ...offers(mesh).map((offered) => mostInMemory(bench, mesh, offered, workload)))
  return {
    bench,
    mode: 'generate',
    workload,
    positions: workload.contextLength,
    offers,
    most,
    meshes: meshesOf(problem, generationDemand(workload), stop),
    passes: (site) => {
      if (!fills) return passesOf(batchSequences, site.mesh)
      const batches = candidateBatches(site.mesh, largestBatch(bench, site, workload))
      return batches.flatMap((batch) => passesOf(batch, site.mesh))
    },
    lower: (mesh, offered) => {
      const least = (batch: number) => leastSeconds(bench, mesh, passOf(batch, mesh), offered)
      if (!fills) {
        const bytes = memoryRoom(bench, mesh, offered)
        return bytes(passOf(batchSequences, mesh)) <= problem.memoryBudget ? least(batchSequences) : null
      }
      const { holdsFewest, most } = roomOf(bench, mesh, offered, workload)
      if (workload.maxStepSeconds === undefined) {
        const room = most()
        if (room === 0) return null
        const bounds = candidateBatches(mesh, room).map((batch) => least(batch) / (perSequence ? batch : 1))
        return Math.min(...bounds)
      }
      if (!holdsFewest()) return null
      // Under a time limit the largest batch may be any, so that the bound is that of the smallest; where that is too late, it does not matter how many there is room for.
      const fewest = least(replicasOf(mesh))
      return fewest > maxStepSeconds ? Number.POSITIVE_INFINITY : fewest / (perSequence ? most() : 1)
    },
    leastPass: (mesh) => passOf(fills ? replicasOf(mesh) : batchSequences, mesh),
    score: ({ resident }, seconds) => {
      if (seconds > maxStepSeconds) return Number.POSITIVE_INFINITY
      return perSequence ? seconds / resident.sequences : seconds
    },
    work: ({ resident, headPositions, contexts }) => ({
      sequences: resident.sequences,
      positions: headPositions,
      headPositions,
      contexts,
    }),
    tokens: ({ resident }) => resident.sequences,
  }
}

/** The 1 stands for the number of sequences, on which no framework's rules for generation depend. */
export function generationOffers(
  model: InferenceModel,
  mesh: Mesh,
  wanted?: LayoutsWanted,
): readonly Offered[] {
  return offersOf(model, mesh, 'generate', 1, wanted)
}

export function generationDemand({ batchSequences }: GenerateWorkload): Demand {
  return { sequences: batchSequences === 'max' ? null : batchSequences, positions: 1 }
}

/**
 * The most sequences within memory and, if the workload has them, the most of a server and the time limit; 0 if not even one per replica is.
 * `limited` is what the limit is on, that of a step by default.
 */
export function largestBatch(
  bench: Workbench,
  site: PricedMesh,
  workload: Stepped,
  limited?: (batch: number) => Seconds,
): number {
  const { mesh } = site
  const most = mostInMemory(bench, mesh, site.offered, workload)
  const limit = workload.maxStepSeconds
  if (limit === undefined || most === 0) return most
  const secondsOf = secondsAt(bench, site)
  return largest(replicasOf(mesh), most, (batch) => {
    if (limited) return limited(batch) <= limit
    return stepPasses(bench, workload, batch, mesh).some((pass) => secondsOf(pass) <= limit)
  })
}

function mostInMemory(bench: Workbench, mesh: Mesh, offered: Offered, workload: Stepped): number {
  return roomOf(bench, mesh, offered, workload).most()
}

/** Whether a mesh has room for a sequence of each replica, the fewest that it may run, and for how many at most: 0 if not for these. */
function roomOf(bench: Workbench, mesh: Mesh, offered: Offered, workload: Stepped) {
  const { memoryBudget, model: transformer } = bench.setting
  const room = memoryRoom(bench, mesh, offered)
  const { speculative, maxSequences = absurd } = workload
  const positions = mostPositions(speculative)
  const bytes = (batch: number) =>
    room(generationPass(transformer, workload, batch, mesh.pipeline, positions))
  const least = replicasOf(mesh)
  return {
    holdsFewest: () => least <= maxSequences && bytes(least) <= memoryBudget,
    most: () => mostWithin({ least, step: least, most: maxSequences }, memoryBudget, bytes),
  }
}

/** The largest number in `least`..`most` for which `holds`, given that it holds up to some number and not beyond; 0 if it never does. */
function largest(least: number, most: number, holds: (count: number) => boolean): number {
  if (most < least || !holds(least)) return 0
  let [held, failed, next] = [least, most + 1, most]
  // Goes down from the most in doubling strides until the answer is enclosed, then bisects.
  for (let stride = 1; failed - held > 1; stride *= 2) {
    if (holds(next)) held = next
    else failed = next
    next = held > least ? Math.floor((held + failed) / 2) : Math.max(failed - stride, held + 1)
  }
  return held
}

/** What a step depends on beside the number of sequences. */
type Stepped = Omit<GenerateWorkload, 'mode' | 'batchSequences'>

/** An upper limit for batches whose caches cost nothing, which memory does not limit. */
const absurd = 2 ** 40
