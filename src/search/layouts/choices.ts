/**
 * What is chosen inside a mesh and enumerated: ZeRO stage, microbatch, pipeline schedule. A layout is a mesh with one
 * of each; its cut into stages, its placement on the network and its memory policy are then chosen exactly, and do not count as
 * layouts.
 *
 * ZeRO: below stage 3 weights are whole on every replica, so that data and fsdp mean the same and only data is
 * listed. Microbatches divide a replica's sequences; where tokens divide freely they are powers of two. Virtual stages
 * need a layer each. Schedules are those of the workload or, where it names none, of the assumptions; the row of each says when it is
 * worth a try.
 */

import { type ByPair, byPair } from '../../by-pair.ts'
import { type Constraints, satisfies } from '../../constraint.ts'
import { dividesIntoChunks, mostVirtualStages } from '../../cost/step/stages.ts'
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { known, remembered, rememberedOf } from '../../known.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import { lasting } from '../../recent.ts'
import { canRun, type Schedule, scheduleRow, scheduleRows, unscheduled } from '../../recipe/schedule.ts'
import type { ScheduleRow } from '../../recipe/schedule-row.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { beyondAnyAxis, type Mesh, replicasOf } from '../../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../sharding/states.ts'

/** Where tokens divide freely, a microbatch keeps at least this many tokens per replica. */
const leastTokens = 1024

/** Empty when the mesh needs a stage that is not tried: fsdp is the axis of stage 3. */
export function zeroChoices(mesh: Mesh, problem: Problem): readonly ZeroStage[] {
  return zeroChoicesOf(problem).of(sharding(mesh))
}

/** The ZeRO stages that a mesh of such replicas may have. */
export function replicaZeroChoices(replica: Mesh, problem: Problem): readonly ZeroStage[] {
  return zeroChoicesOf(problem).ofReplica(sharding(replica))
}

/** Which axes have more than one chip, as far as ZeRO stages hang on it, as bits of a number: every mesh is asked for its stages several times. */
const sharded = { fsdp: 1, data: 2, others: 4, stages: 8 } as const

function sharding({ fsdp, data, context, expert, pipeline }: Mesh): number {
  const replicas = (fsdp > 1 ? sharded.fsdp : 0) + (data > 1 ? sharded.data : 0)
  return replicas + (context * expert > 1 ? sharded.others : 0) + (pipeline > 1 ? sharded.stages : 0)
}

const zeroChoicesOf = rememberedOf((problem: Problem) => {
  const of = remembered((bits: number) => zeroStagesOf(bits, problem))
  const ofReplica = remembered((bits: number) => {
    const tried = new Set([bits, bits | sharded.data, bits | sharded.fsdp].flatMap(of))
    return [...tried].filter((zeroStage) => satisfies(zeroStage, problem.constraints.zeroStage))
  })
  return { of, ofReplica }
})

function zeroStagesOf(bits: number, problem: Problem): readonly ZeroStage[] {
  const tried = triedStages((bits & sharded.stages) > 0, problem)
  if (bits & sharded.fsdp) return tried.filter((stage) => stage === 3)
  if (!(bits & (sharded.data | sharded.others))) return [0]
  return bits & sharded.others ? tried : tried.filter((stage) => stage < 3)
}

/** A request that constrains the stage widens the search to all stages that it allows. */
function triedStages(pipelined: boolean, { assumptions, constraints }: Problem): readonly ZeroStage[] {
  if (constraints.zeroStage !== undefined) return zeroStages
  const { shardedPipelines, zeroStages: tried } = assumptions
  return pipelined && !shardedPipelines ? tried.filter((stage) => stage < 2) : tried
}

export interface Microbatching {
  readonly microbatches: number
  /** Sequences of one microbatch over all replicas, padded to whole ones; a real number where tokens divide freely. */
  readonly sequences: number
}

/** Sequences of each of so many replicas, padded to whole ones except where tokens divide freely. */
export function sequencesEach(
  { workload, assumptions }: Problem,
  replicas: number,
  batchTokens = workload.batchTokens,
): number {
  const { sequenceLength } = workload
  if (assumptions.tokensDivideFreely) return batchTokens / sequenceLength / replicas
  return Math.ceil(wholeSequences({ batchTokens, sequenceLength }) / replicas)
}

export function microbatchChoices(
  mesh: Mesh,
  problem: Problem,
  batchTokens = problem.workload.batchTokens,
): readonly Microbatching[] {
  const { workload, assumptions } = problem
  const replicas = replicasOf(mesh)
  if (!assumptions.tokensDivideFreely) {
    return dividedInto(sequencesEach(problem, replicas, batchTokens), replicas)
  }
  const choices: Microbatching[] = []
  const sequences = batchTokens / workload.sequenceLength
  const tokens = batchTokens / replicas / mesh.context
  for (let microbatches = 1; microbatches === 1 || tokens / microbatches >= leastTokens; microbatches *= 2) {
    choices.push({ microbatches, sequences: sequences / microbatches })
  }
  return choices
}

/** Kept by replicas and sequences of each, which many meshes have in common. */
const divided = byPair<readonly Microbatching[]>(20_000)

function dividedInto(each: number, replicas: number): readonly Microbatching[] {
  const found = divided.find(replicas, each)
  if (found) return found
  const made = divisorsOf(each).map((size) => ({ microbatches: each / size, sequences: size * replicas }))
  return divided.keep(replicas, each, made)
}

export function triedSchedules({ workload, assumptions }: Problem): readonly ScheduleName[] {
  return workload.schedules ?? assumptions.schedules
}

export function triedScheduleRows(problem: Problem): readonly ScheduleRow[] {
  return triedSchedules(problem).map((name) => scheduleRow({ name }))
}

/** Asked for each number of microbatches of each mesh, and the same for many. */
export function scheduleChoices(mesh: Mesh, problem: Problem, microbatches: number): readonly Schedule[] {
  const kept = schedulesOf(problem)
  return (
    kept.find(mesh.pipeline, microbatches) ??
    kept.keep(mesh.pipeline, microbatches, schedulesFor(mesh, problem, microbatches))
  )
}

/** By number of stages, then of microbatches; the same for all requests with as many layers that try the same ones. */
type SchedulesKnown = ByPair<readonly Schedule[]>

const schedulesOf = rememberedOf((problem: Problem) =>
  known(schedulesKnown, `${problem.model.layers} ${triedSchedules(problem)}`, (): SchedulesKnown => byPair()),
)

const schedulesKnown = lasting<SchedulesKnown>(8)

function schedulesFor(mesh: Mesh, problem: Problem, microbatches: number): readonly Schedule[] {
  if (mesh.pipeline === 1) return [unscheduled]
  const tried = triedSchedules(problem)
  const { layers } = problem.model
  return scheduleRows
    .filter((row) => row.pipelined && tried.includes(row.name))
    .filter((row) => canRun(row, mesh.pipeline, microbatches) && row.worthwhile(mesh.pipeline, microbatches))
    .flatMap((row) =>
      virtualStageChoices(row, mesh, layers).map((virtualStages) => ({ name: row.name, virtualStages })),
    )
}

export function virtualStageChoices(
  { virtualStages: [least, most] }: Pick<ScheduleRow, 'virtualStages'>,
  { pipeline }: Pick<Mesh, 'pipeline'>,
  layers: number,
): readonly number[] {
  const possible = most > 1 ? mostVirtualStages(layers, pipeline) : most
  const counts = Array.from({ length: Math.max(0, possible - least + 1) }, (_, further) => least + further)
  return counts.filter((count) => count <= most || dividesIntoChunks(layers, pipeline * count))
}

/** The most virtual stages that any of the rows is tried with on so many stages; 1 where none is. */
export function mostVirtualChoice(
  rows: readonly Pick<ScheduleRow, 'virtualStages'>[],
  pipeline: number,
  layers: number,
): number {
  return rows.reduce(
    (most, row) => Math.max(most, virtualStageChoices(row, { pipeline }, layers).at(-1) ?? 1),
    1,
  )
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

/** Number of layouts of one mesh, which is what a dropped mesh counts. */
export function layoutCount(mesh: Mesh, problem: Problem): number {
  return zeroChoices(mesh, problem).length * layoutsOfEach(mesh, problem, () => countOfEach(mesh, problem))
}

const layoutsOfEach = byBatch<number>()

/** Keeps what is the same for meshes with as many replicas and stages: these have the same microbatches and schedules under each ZeRO stage. */
export function byBatch<Value>(): (mesh: Mesh, problem: Problem, made: () => Value) => Value {
  const ofProblem = rememberedOf((_: Problem) => byPair<Value>())
  return (mesh, problem, made) => {
    const kept = ofProblem(problem)
    const context = problem.assumptions.tokensDivideFreely ? mesh.context : 1
    const batch = replicasOf(mesh) * beyondAnyAxis + context
    return kept.find(mesh.pipeline, batch) ?? kept.keep(mesh.pipeline, batch, made())
  }
}

function countOfEach(mesh: Mesh, problem: Problem): number {
  return microbatchChoices(mesh, problem).reduce(
    (count, { microbatches }) => count + scheduleChoices(mesh, problem, microbatches).length,
    0,
  )
}
