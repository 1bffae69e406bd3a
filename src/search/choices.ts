/**
 * What is chosen inside a mesh and enumerated: ZeRO stage, microbatch, pipeline schedule. A layout is a mesh with one
 * of each; its cut into stages, its placement on the network and its memory policy are then chosen exactly, and do not count as
 * layouts.
 *
 * ZeRO: below stage 3 weights are whole on every replica, so that data and fsdp mean the same and only data is
 * listed. Microbatches divide a replica's sequences; where tokens divide freely they are powers of two. Interleaving
 * needs microbatches that the stages divide, and a layer per virtual stage; at most 8 virtual stages are tried. Schedules
 * are those of the workload, or, where it names none, of the assumptions.
 */

import { runsDualPipe } from '../cost/split-backward.ts'
import type { Schedule } from '../cost/stages.ts'
import { divisorsOf } from '../hardware/divisors.ts'
import { type Constraints, type Problem, type ScheduleName, satisfies } from '../problem.ts'
import { type Mesh, replicasOf } from '../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../sharding/states.ts'

export const mostVirtualStages = 8
/** Where tokens divide freely, a microbatch keeps at least this many per replica. */
const leastTokens = 1024

/** Empty where the mesh needs a stage that is not tried: fsdp is stage 3's axis. */
export function zeroChoices(mesh: Mesh, problem: Problem): readonly ZeroStage[] {
  const tried = triedStages(mesh, problem)
  if (mesh.fsdp > 1) return tried.filter((stage) => stage === 3)
  if (mesh.data * mesh.context * mesh.expert === 1) return [0]
  return mesh.context * mesh.expert > 1 ? tried : tried.filter((stage) => stage < 3)
}

/** A request that constrains the stage widens the search to all that it allows. */
function triedStages(mesh: Mesh, { assumptions, constraints }: Problem): readonly ZeroStage[] {
  if (constraints.zeroStage !== undefined) return zeroStages
  const { shardedPipelines, zeroStages: tried } = assumptions
  return mesh.pipeline > 1 && !shardedPipelines ? tried.filter((stage) => stage < 2) : tried
}

export interface Microbatching {
  readonly microbatches: number
  /** Sequences of one microbatch over all replicas, padded to whole ones; real where tokens divide freely. */
  readonly sequences: number
}

export function microbatchChoices(mesh: Mesh, { workload, assumptions }: Problem): readonly Microbatching[] {
  const replicas = replicasOf(mesh)
  const sequences = workload.batchTokens / workload.sequenceLength
  if (!assumptions.tokensDivideFreely) {
    const each = Math.ceil(Math.ceil(sequences) / replicas)
    return divisorsOf(each).map((size) => ({ microbatches: each / size, sequences: size * replicas }))
  }
  const choices: Microbatching[] = []
  const tokens = workload.batchTokens / replicas / mesh.context
  for (let microbatches = 1; microbatches === 1 || tokens / microbatches >= leastTokens; microbatches *= 2) {
    choices.push({ microbatches, sequences: sequences / microbatches })
  }
  return choices
}

export function triedSchedules({ workload, assumptions }: Problem): readonly ScheduleName[] {
  return workload.schedules ?? assumptions.schedules
}

export function scheduleChoices(mesh: Mesh, problem: Problem, microbatches: number): readonly Schedule[] {
  if (mesh.pipeline === 1) return [{ name: 'none', virtualStages: 1 }]
  const tried = triedSchedules(problem)
  const { layers } = problem.model
  const may = (name: ScheduleName) => tried.includes(name)
  const schedules: Schedule[] = []
  // Of equal times the first is kept: 1F1B, which never holds more microbatches.
  if (may('1f1b')) schedules.push({ name: '1f1b', virtualStages: 1 })
  if (may('gpipe')) schedules.push({ name: 'gpipe', virtualStages: 1 })
  if (may('zb-h1')) schedules.push({ name: 'zb-h1', virtualStages: 1 })
  if (may('dualpipe') && runsDualPipe(mesh.pipeline, microbatches)) {
    schedules.push({ name: 'dualpipe', virtualStages: 1 })
  }
  if (may('interleaved-1f1b') && microbatches % mesh.pipeline === 0) {
    const most = Math.min(mostVirtualStages, Math.floor(layers / mesh.pipeline))
    for (let virtualStages = 2; virtualStages <= most; virtualStages++) {
      schedules.push({ name: 'interleaved-1f1b', virtualStages })
    }
  }
  return schedules
}

export function choiceAllowed(
  constraints: Constraints,
  zeroStage: ZeroStage,
  microbatches: number,
  { virtualStages }: Schedule,
): boolean {
  return (
    satisfies(zeroStage, constraints.zeroStage) &&
    satisfies(microbatches, constraints.microbatches) &&
    satisfies(virtualStages, constraints.virtualStages)
  )
}

/** Layouts of one mesh: what a dropped mesh counts for. */
export function layoutCount(mesh: Mesh, problem: Problem): number {
  const stages = zeroChoices(mesh, problem).length
  let count = 0
  for (const { microbatches } of microbatchChoices(mesh, problem)) {
    count += stages * scheduleChoices(mesh, problem, microbatches).length
  }
  return count
}
