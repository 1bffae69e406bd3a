/** The choices inside a mesh that a written plan fixes. */

import type { PlanSketch } from '../../plan-sketch.ts'
import type { Problem } from '../../problem.ts'
import { canRun, hasVirtualStages, scheduleRow, scheduleRows } from '../../recipe/schedule.ts'
import { replicasOf } from '../../sharding/axis.ts'
import { zeroStages } from '../../sharding/states.ts'
import { contextLayoutFits, plainContext } from '../../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import { sequencesEach, virtualStageChoices, zeroChoices } from './choices.ts'
import type { Choices } from './consider.ts'

/** A mesh that the search would not try (fsdp inside a pipeline, say) still has the one stage that its axes mean. */
export function sketchedZeroStages(
  problem: Problem,
  { mesh, zeroStage }: PlanSketch,
): Pick<Choices, 'zeroStages'> {
  if (zeroStage !== undefined) return { zeroStages: zeroStages.filter((stage) => stage === zeroStage) }
  return zeroChoices(mesh, problem).length > 0 ? {} : { zeroStages: [3] }
}

/** The context layout that the plan names, or those that would be searched. */
export function sketchedContextLayouts(
  { assumptions, model }: Problem,
  { mesh, contextLayout }: PlanSketch,
): readonly ContextLayout[] {
  if (contextLayout !== undefined) return [contextLayout]
  return [
    plainContext,
    ...assumptions.contextLayouts.filter(
      (layout) => layout !== plainContext && contextLayoutFits(layout, mesh, model),
    ),
  ]
}

export function sketchedMicrobatching(problem: Problem, sketch: PlanSketch): Pick<Choices, 'microbatchings'> {
  const { workload, assumptions } = problem
  const replicas = replicasOf(sketch.mesh)
  const sequences = workload.batchTokens / workload.sequenceLength
  if (sketch.microbatches === undefined && sketch.microbatchTokens === undefined) return {}
  if (assumptions.tokensDivideFreely) {
    const microbatches =
      sketch.microbatches ?? workload.batchTokens / replicas / (sketch.microbatchTokens ?? 1)
    return { microbatchings: [{ microbatches, sequences: sequences / microbatches }] }
  }
  const each = sequencesEach(problem, replicas)
  const size = Math.ceil(
    sketch.microbatches === undefined
      ? (sketch.microbatchTokens ?? 1) / workload.sequenceLength
      : each / sketch.microbatches,
  )
  const microbatches = sketch.microbatches ?? Math.ceil(each / size)
  return { microbatchings: [{ microbatches, sequences: size * replicas }] }
}

export function sketchedSchedules({ model }: Problem, sketch: PlanSketch): Pick<Choices, 'schedules'> {
  const { pipelineSchedule, virtualStages, mesh } = sketch
  if (pipelineSchedule === undefined && virtualStages === undefined) return {}
  if (mesh.pipeline === 1) return {}
  const interleaved = (virtualStages ?? 1) > 1
  const name =
    pipelineSchedule ??
    scheduleRows.find((row) => row.pipelined && hasVirtualStages(row) === interleaved)?.name
  if (name === undefined) return {}
  const row = scheduleRow({ name })
  const counts =
    virtualStages !== undefined && hasVirtualStages(row)
      ? [virtualStages]
      : virtualStageChoices(row, mesh, model.layers)
  const all = counts.map((count) => ({ name, virtualStages: count }))
  return { schedules: (microbatches) => (canRun(row, mesh.pipeline, microbatches) ? all : []) }
}
