/**
 * Generation: a token for each of B resident sequences per step. With a batch of `max` each mesh takes as many sequences as
 * its memory holds and its step time may be, or a few less that lie evenly over it (even-batches.ts): a step never gets shorter by more sequences, nor does what is resident shrink.
 */

import type { LayoutsWanted } from '../../inference/layout/layout-question.ts'
import { offersOf } from '../../inference/layout/servable.ts'
import { type Demand, inferenceMeshes, type MeshesOf } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { arrange, leastSeconds } from '../../inference/pass/arrangement.ts'
import { generationPass, type Pass } from '../../inference/pass/pass.ts'
import { memoryRoom } from '../../inference/pass/pass-numbers.ts'
import type { Phase, Site } from '../../inference/phase.ts'
import { waysOf } from '../../inference/time/beside.ts'
import { createWorkbench, type Workbench } from '../../inference/workbench.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { GenerateWorkload, InferenceProblem } from '../../problem.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import { evenBatches } from './even-batches.ts'
import { mostTokens } from './speculation.ts'

export interface GenerationPhase extends Phase {
  /** Sequences that memory has room for on a mesh, whatever the step then takes. */
  readonly most: (mesh: Mesh) => number
}

export function generationPhase(
  model: InferenceModel,
  problem: InferenceProblem<GenerateWorkload>,
  stop: Stop = never,
  meshesOf: MeshesOf = inferenceMeshes,
): GenerationPhase {
  const bench = createWorkbench(model)
  const { workload, objective } = problem
  const { batchSequences, maxStepSeconds = Number.POSITIVE_INFINITY } = workload
  const fills = batchSequences === 'max'
  const perSequence = fills && objective !== 'latency'
  const candidateBatches = (mesh: Mesh, most: number) =>
    perSequence || most === 0 ? evenBatches(mesh, most) : [most]
  // The placements of a mesh share its pass, and what is worked out of it.
  const passes = new Map<string, ReturnType<typeof stepPasses>>()
  const passesOf = (batch: number, mesh: Mesh) =>
    known(passes, `${batch} ${Object.values(mesh)}`, () => stepPasses(model, workload, batch, mesh))
  // Products of the whole are no slower than those of its halves.
  const passOf = (batch: number, mesh: Mesh): Pass => passesOf(batch, mesh)[0]
  // Of generation no framework asks how many sequences there are.
  const offers = (mesh: Mesh, wanted?: LayoutsWanted) => offersOf(model, mesh, 'generate', 1, wanted)
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
      const room = fills ? mostInMemory(bench, mesh, offered, workload) : batchSequences
      if (room === 0) return null
      const least = (batch: number) => leastSeconds(bench, mesh, passOf(batch, mesh), offered)
      if (!fills) {
        const bytes = memoryRoom(bench, mesh, offered)
        return bytes(passOf(room, mesh)) <= problem.memoryBudget ? least(room) : null
      }
      // Under a time limit any batch from the smallest may be the largest.
      if (workload.maxStepSeconds !== undefined) return least(replicasOf(mesh)) / (perSequence ? room : 1)
      const bounds = candidateBatches(mesh, room).map((batch) => least(batch) / (perSequence ? batch : 1))
      return Math.min(...bounds)
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

export function generationDemand({ batchSequences }: GenerateWorkload): Demand {
  return { sequences: batchSequences === 'max' ? null : batchSequences, positions: 1 }
}

/** The ways to make a step: the whole batch first. */
export function stepPasses(
  { setting }: InferenceModel,
  workload: Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>,
  batch: number,
  mesh: Mesh,
  positions = 1,
): readonly [whole: Pass, ...Pass[]] {
  const whole = generationPass(setting.model, workload, batch, mesh.pipeline, positions)
  return waysOf(setting.assumptions, mesh, whole)
}

/** Sequences that fit into memory and, where the workload has one, the time limit; 0 where not even one per replica does. */
export function largestBatch(
  bench: Workbench,
  { mesh, costs, offered }: Pick<Site, 'mesh' | 'costs' | 'offered'>,
  workload: Omit<GenerateWorkload, 'mode' | 'batchSequences'>,
): number {
  const most = mostInMemory(bench, mesh, offered, workload)
  const limit = workload.maxStepSeconds
  if (limit === undefined || most === 0) return most
  return largest(replicasOf(mesh), most, most, (batch) => {
    return stepPasses(bench, workload, batch, mesh).some((pass) => {
      const found = arrange(bench, mesh, costs, pass, offered)
      return found !== null && found.seconds <= limit
    })
  })
}

function mostInMemory(
  bench: Workbench,
  mesh: Mesh,
  offered: Site['offered'],
  workload: Omit<GenerateWorkload, 'mode' | 'batchSequences'>,
): number {
  const { memoryBudget, model: transformer } = bench.setting
  const room = memoryRoom(bench, mesh, offered)
  // Tokens that are drafted need room as well, though it is little.
  const { speculative } = workload
  const positions = speculative ? 1 + (speculative.tokens ?? mostTokens) : 1
  const bytes = (batch: number) =>
    room(generationPass(transformer, workload, batch, mesh.pipeline, positions))
  const least = replicasOf(mesh)
  const [first, doubled] = [bytes(least), bytes(2 * least)]
  // Bytes are nearly a straight line in the batch.
  const guess = doubled > first ? (least * (memoryBudget - first)) / (doubled - first) + least : absurd
  return largest(least, absurd, Math.floor(guess), (batch) => bytes(batch) <= memoryBudget)
}

/** The largest number from `least` to `most` that holds, where all below one that holds do; 0 where none does. */
function largest(least: number, most: number, guess: number, holds: (count: number) => boolean): number {
  if (most < least || !holds(least)) return 0
  let held = least
  let failed = most + 1
  let stride = 1
  let next = Math.min(Math.max(guess, least), most)
  // Away from the guess in growing steps, then halving.
  while (failed - held > 1) {
    if (holds(next)) held = next
    else failed = next
    const inside = next === held ? held + stride : failed - stride
    stride *= 2
    next = failed <= most && held > least ? Math.floor((held + failed) / 2) : inside
    next = Math.min(Math.max(next, held + 1), failed - 1)
  }
  return held
}

/** Where caches cost nothing the batch has no end. */
const absurd = 2 ** 40
