/**
 * The turns of a microbatch that a step has: one for each of them, and those that a stage waits for the others, under the schedules that
 * may run them.
 */
import type { ByPair } from '../../by-pair.ts'
import type { Problem } from '../../problem.ts'
import { canRun, hasVirtualStages, scheduleRows } from '../../recipe/schedule.ts'
import type { SplitBackward } from '../../recipe/schedule-row.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type Microbatching, mostVirtualChoice, triedScheduleRows } from '../layouts/choices.ts'
import { waitingTurns } from './work-floor.ts'

/** What so many microbatches do on so many stages, under the schedules that may run them. */
export interface Turns {
  readonly stages: number
  readonly microbatches: number
  /** For how many turns of a microbatch a stage waits for the others, under the schedule with the shortest wait. */
  readonly wait: number
  /** How the schedules that split the backward pass do so here. */
  readonly splits: readonly SplitBackward[]
}

/** By number of stages, then of microbatches. */
export type KnownTurns = ByPair<Turns>

export interface ChoiceTurns {
  readonly of: (mesh: Mesh, choice: Microbatching) => Turns
  /** Whether any schedule that is tried splits the backward pass. */
  readonly splitsAny: boolean
}

/** Asked for each microbatching of each mesh, and the same for many; what is `kept` may be shared by floors of the same model on other chips. */
export function choiceTurns(problem: Problem, kept: KnownTurns): ChoiceTurns {
  const splitting = triedScheduleRows(problem).filter(({ split }) => split !== null)
  const interleaving = scheduleRows.filter(hasVirtualStages)
  return {
    of: ({ pipeline }, { microbatches }) => {
      return (
        kept.find(pipeline, microbatches) ??
        kept.keep(pipeline, microbatches, turnsFor(pipeline, microbatches))
      )
    },
    splitsAny: splitting.length > 0,
  }

  function turnsFor(pipeline: number, microbatches: number): Turns {
    const splits = splitting.flatMap((row) => {
      return (canRun(row, pipeline, microbatches) && row.split?.(pipeline, microbatches)) || []
    })
    return { stages: pipeline, microbatches, wait: leastTurns(pipeline, microbatches), splits }
  }

  function leastTurns(pipeline: number, microbatches: number): number {
    if (pipeline === 1) return 0
    const rows = interleaving.filter((row) => row.worthwhile(pipeline, microbatches))
    return waitingTurns(pipeline, mostVirtualChoice(rows, pipeline, problem.model.layers))
  }
}
