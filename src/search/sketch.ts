/** What a written plan fixes of the choices inside its mesh. */
import { runsDualPipe } from '../cost/split-backward.ts'
import type { Schedule } from '../cost/stages.ts'
import type { PlanSketch, Problem, ScheduleName } from '../problem.ts'
import { replicasOf } from '../sharding/axis.ts'
import { type ContextLayout, contextLayoutFits } from '../sharding/context-layout.ts'
import { zeroStages } from '../sharding/states.ts'
import { mostVirtualStages, zeroChoices } from './choices.ts'
import type { Choices } from './consider.ts'

/** A mesh that the search would not try, fsdp inside a pipeline say, still has the one stage that its axes mean. */
export function sketchedZeroStages(
  problem: Problem,
  { mesh, zeroStage }: PlanSketch,
): Pick<Choices, 'zeroStages'> {
  if (zeroStage !== undefined) return { zeroStages: zeroStages.filter((stage) => stage === zeroStage) }
  return zeroChoices(mesh, problem).length > 0 ? {} : { zeroStages: [3] }
}

/** One that the plan names, or those that would be searched. */
export function sketchedContextLayouts(
  { assumptions, model }: Problem,
  { mesh, contextLayout }: PlanSketch,
): readonly ContextLayout[] {
  if (contextLayout !== undefined) return [contextLayout]
  return [
    'gather',
    ...assumptions.contextLayouts.filter(
      (layout) => layout !== 'gather' && contextLayoutFits(layout, mesh, model),
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
  const each = Math.ceil(Math.ceil(sequences) / replicas)
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
  const name: ScheduleName = pipelineSchedule ?? ((virtualStages ?? 1) > 1 ? 'interleaved-1f1b' : '1f1b')
  if (name === 'dualpipe') {
    return {
      schedules: (microbatches) =>
        runsDualPipe(mesh.pipeline, microbatches) ? [{ name, virtualStages: 1 }] : [],
    }
  }
  if (name !== 'interleaved-1f1b') return { schedules: () => [{ name, virtualStages: 1 }] }
  if (virtualStages !== undefined) return { schedules: () => [{ name, virtualStages }] }
  const most = Math.min(mostVirtualStages, Math.floor(model.layers / mesh.pipeline))
  const all: Schedule[] = []
  for (let count = 2; count <= most; count++) all.push({ name, virtualStages: count })
  return { schedules: () => all }
}

/** The cut that the plan names, of those there are. */
export function sketchedCuts({ stageLayers }: PlanSketch): Pick<Choices, 'cuts'> {
  if (stageLayers === undefined) return {}
  const alike = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * a
  return {
    cuts: (counts) =>
      counts.length === stageLayers.length && counts.every((count, at) => alike(count, stageLayers[at] ?? 0)),
  }
}
