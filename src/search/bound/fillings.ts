/**
 * What a pipeline holds and waits for, as floors need it: microbatches in flight by stage, and the ways in which a step may add up
 * (stage-room.ts). It is for the schedules of one name, or for all that may be tried, whatever the microbatches.
 *
 * E sequences are at most E microbatches. With s sequences in each, no stage holds less than with one in each, as s·f(E/s) >= f(E); and
 * with fewer microbatches none holds more, so it is enough to compute powers of two.
 */

import type { ByPair } from '../../by-pair.ts'
import type { CostModel } from '../../cost/model.ts'
import { inFlight, type Schedule, scheduleRow, scheduleRows } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { scheduleChoices, triedSchedules, virtualStageChoices } from '../layouts/choices.ts'

export interface Filling {
  readonly stages: number
  /** Under the schedule for which a chip holds the fewest, and the most. */
  readonly stagesPerChip: 1 | 2
  readonly mostPerChip: 1 | 2
  /** Whether a schedule that it stands for splits the backward pass. */
  readonly split: boolean
  /** The least and the most virtual stages of schedules that do not split it; empty when all do. */
  readonly virtual: readonly number[]
  /** Microbatches in flight by stage, under the schedule that holds the least there. */
  readonly inFlight: readonly number[]
  readonly least: number
  readonly most: number
}

export interface Fillings {
  readonly of: (mesh: Mesh, microbatches: number) => readonly Filling[]
  /** For all schedules at once: with this many microbatches or fewer, of more sequences each. */
  readonly ever: (mesh: Mesh, microbatches: number) => readonly Filling[]
}

/** By number of stages, then of microbatches. */
type ByMicrobatches = ByPair<readonly Filling[]>

/** For the schedules of one name, and for all that may be tried. */
export interface KnownFillings {
  readonly byName: ByMicrobatches
  readonly ofAll: ByMicrobatches
}

/** What is known may be shared by floors of models of as many layers under the same schedules. */
export function fillingsOf({ problem }: CostModel, { byName, ofAll }: KnownFillings): Fillings {
  const tried = triedSchedules(problem)
  const anyOf = (mesh: Mesh): readonly Schedule[] => {
    if (mesh.pipeline === 1) return scheduleChoices(mesh, problem, 1)
    return scheduleRows
      .filter(({ name, pipelined, needs }) => {
        return pipelined && tried.includes(name) && (needs?.stages(mesh.pipeline) ?? true)
      })
      .flatMap((row) =>
        virtualStageChoices(row, mesh, problem.model.layers).map((virtualStages) => {
          return { name: row.name, virtualStages }
        }),
      )
  }
  return {
    of: (mesh, microbatches) =>
      byName.find(mesh.pipeline, microbatches) ??
      byName.keep(mesh.pipeline, microbatches, eachName(mesh, microbatches)),
    ever: (mesh, microbatches) => {
      const fewer = 2 ** Math.floor(Math.log2(Math.min(microbatches, 4 * mesh.pipeline)))
      return (
        ofAll.find(mesh.pipeline, fewer) ??
        ofAll.keep(mesh.pipeline, fewer, filled(anyOf(mesh), mesh.pipeline, fewer))
      )
    },
  }

  function eachName(mesh: Mesh, microbatches: number): readonly Filling[] {
    const choices = scheduleChoices(mesh, problem, microbatches)
    const names = [...new Set(choices.map(({ name }) => name))]
    return names.flatMap((own) =>
      filled(
        choices.filter(({ name }) => name === own),
        mesh.pipeline,
        microbatches,
      ),
    )
  }
}

/** Empty when there is no schedule. */
function filled(schedules: readonly Schedule[], stages: number, microbatches: number): readonly Filling[] {
  if (schedules.length === 0) return []
  const held = Array.from({ length: stages }, (_, stage) =>
    Math.min(...schedules.map((schedule) => inFlight(schedule, stage, stages, microbatches))),
  )
  const rows = schedules.map(scheduleRow)
  const whole = schedules.filter((schedule) => !scheduleRow(schedule).split)
  const virtual = whole.map(({ virtualStages }) => virtualStages)
  return [
    {
      stages,
      stagesPerChip: rows.every(({ stagesPerChip }) => stagesPerChip === 2) ? 2 : 1,
      mostPerChip: rows.some(({ stagesPerChip }) => stagesPerChip === 2) ? 2 : 1,
      split: rows.some(({ split }) => split !== null),
      virtual: virtual.length > 0 ? [Math.min(...virtual), Math.max(...virtual)] : [],
      ...{ inFlight: held, least: Math.min(...held), most: Math.max(...held) },
    },
  ]
}
