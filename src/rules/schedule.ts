/** Rules for a pipeline schedule that somebody wrote, from the schedule's own row (recipe/schedules.ts). */
import { mostVirtualStages } from '../cost/step/stages.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import type { PlanSketch } from '../plan-sketch.ts'
import { hasVirtualStages, scheduleRow, scheduleRows } from '../recipe/schedule.ts'
import type { ScheduleRow } from '../recipe/schedule-row.ts'
import { type LayoutRead, type LayoutRule, sequencesEach } from './layout-rule.ts'
import { axisPointer, resized, sizesOf } from './mesh-ways.ts'
import { chipsToUse } from './model.ts'
import { leftOut } from './part-rule.ts'

export const scheduleRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => sketch.mesh.pipeline === 1 && named(sketch)?.pipelined === true,
    says: 'the pipeline axis is 1, so there is no pipeline schedule',
    pointer: '/plan/pipelineSchedule',
    nearest: () => leftOut('pipelineSchedule'),
  },
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => sketch.mesh.pipeline > 1 && named(sketch)?.pipelined === false,
    says: ({ sketch }) => `${sketch.mesh.pipeline} pipeline stages need a schedule`,
    pointer: '/plan/pipelineSchedule',
    nearest: () => leftOut('pipelineSchedule'),
  },
  {
    reads: ['mesh', 'pipelineSchedule', 'virtualStages'],
    broken: ({ sketch }) => {
      const row = named(sketch)
      return chunks(sketch) > 1 && (sketch.mesh.pipeline === 1 || (row !== null && !hasVirtualStages(row)))
    },
    says: () => {
      const names = scheduleRows.filter(hasVirtualStages).map(({ name }) => name)
      return `only ${names.join(' or ')} has virtual stages`
    },
    pointer: '/plan/virtualStages',
    nearest: () => leftOut('virtualStages'),
  },
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => needsOf(sketch)?.stages(sketch.mesh.pipeline) === false,
    says: saysNeeds,
    pointer: axisPointer('pipeline'),
    nearest: ({ problem, sketch }) => {
      const needs = needsOf(sketch)
      const chips = chipsToUse(problem)
      const sizes = sizesOf(sketch.mesh, 'pipeline', chips).filter((size) => {
        return size <= problem.model.layers && needs?.stages(size)
      })
      return resized(sketch.mesh, 'pipeline', sizes, chips)
    },
  },
  {
    reads: ['mesh', 'pipelineSchedule', 'microbatches'],
    broken: ({ sketch }) => {
      const needs = needsOf(sketch)
      const { mesh, microbatches } = sketch
      if (!needs || microbatches === undefined || !needs.stages(mesh.pipeline)) return false
      return !needs.microbatches(microbatches, mesh.pipeline)
    },
    says: saysNeeds,
    pointer: '/plan/microbatches',
    nearest: ({ problem, sketch }) => {
      const needs = needsOf(sketch)
      return divisorsOf(sequencesEach(problem, sketch))
        .filter((count) => needs?.microbatches(count, sketch.mesh.pipeline))
        .map((value) => [{ pointer: '/plan/microbatches', value }])
    },
  },
  {
    reads: ['mesh', 'virtualStages'],
    broken: ({ problem, sketch }) =>
      chunks(sketch) > mostVirtualStages(problem.model.layers, sketch.mesh.pipeline),
    says: ({ problem, sketch }) =>
      `${sketch.mesh.pipeline} x ${chunks(sketch)} virtual stages are more than the ${problem.model.layers} layers allow`,
    pointer: '/plan/virtualStages',
    nearest: ({ problem, sketch: { mesh } }) => {
      const value = mostVirtualStages(problem.model.layers, mesh.pipeline)
      return value > 1 ? [[{ pointer: '/plan/virtualStages', value }]] : leftOut('virtualStages')
    },
  },
]

/** The row of the written schedule; null if none is written. */
function named({ pipelineSchedule }: PlanSketch): ScheduleRow | null {
  return pipelineSchedule === undefined ? null : scheduleRow({ name: pipelineSchedule })
}

function needsOf(sketch: PlanSketch): ScheduleRow['needs'] {
  return sketch.mesh.pipeline > 1 ? (named(sketch)?.needs ?? null) : null
}

function saysNeeds({ sketch }: LayoutRead): string {
  return `${sketch.pipelineSchedule} needs ${needsOf(sketch)?.says}`
}

function chunks({ virtualStages = 1 }: PlanSketch): number {
  return virtualStages
}
