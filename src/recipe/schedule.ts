/** A pipeline schedule as a layout has it, and what its row says. */
import { rowsByName } from './rows.ts'
import type { ScheduleRow, SplitBackward } from './schedule-row.ts'
import { type ScheduleName, schedules } from './schedules.ts'

export interface Schedule {
  readonly name: ScheduleName
  readonly virtualStages: number
}

type Named = Pick<Schedule, 'name'>

export const scheduleRows: readonly (ScheduleRow & Named)[] = schedules

const rowNamed = rowsByName<ScheduleRow>(schedules)

export function scheduleRow({ name }: Named): ScheduleRow {
  return rowNamed(name)
}

/** The schedule of a mesh of one stage. */
export const unscheduled: Schedule = { name: schedules[0].name, virtualStages: 1 }

export function inFlight(schedule: Schedule, stage: number, stages: number, microbatches: number): number {
  return scheduleRow(schedule).inFlight(stage, stages, microbatches, schedule.virtualStages)
}

/** Null when backward passes run in one piece. */
export function splitBackward(schedule: Named, stages: number, microbatches: number): SplitBackward | null {
  const { split } = scheduleRow(schedule)
  return split?.(stages, microbatches) ?? null
}

/** Whether a schedule can run with this many stages and microbatches. */
export function canRun({ needs }: Pick<ScheduleRow, 'needs'>, stages: number, microbatches: number): boolean {
  return !needs || (needs.stages(stages) && needs.microbatches(microbatches, stages))
}

export function hasVirtualStages({ virtualStages: [, most] }: Pick<ScheduleRow, 'virtualStages'>): boolean {
  return most > 1
}
