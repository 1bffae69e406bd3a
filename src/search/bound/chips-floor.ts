/**
 * A floor under every plan on n chips, whatever its mesh: the work of the batch (least-work.ts) shared by all of them. Replicas pad
 * the batch to whole sequences each, and p stages wait for each other, where each microbatch has at least one sequence:
 *
 *   C(S) / n + overhead,   C(R·E) / n · (1 + wait(p) / E) + overhead   for R replicas with E sequences each
 */
import type { CostModel } from '../../cost/model.ts'
import { known } from '../../known.ts'
import type { Problem } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { mostVirtualChoice, sequencesEach, triedScheduleRows } from '../layouts/choices.ts'
import { leastWork } from './least-work.ts'
import { waitingTurns } from './work-floor.ts'

export interface ChipsFloor {
  /** The floor for the batch as it is or, with `replicas`, as these pad it. */
  readonly of: (chips: number, replicas?: number) => Seconds
  readonly ofStages: (chips: number, replicas: number, pipeline: number) => Seconds
}

export function chipsFloor(model: CostModel): ChipsFloor {
  const { problem } = model
  const { stepOverheadSeconds } = problem.assumptions
  const sequences = problem.workload.batchTokens / problem.workload.sequenceLength
  const step = sequences / 128
  const works = new Map<number, Seconds>()
  // The padded batch is rounded down to a step, which bounds it from below, so that only a few sizes are computed.
  const byReplicas: Seconds[] = []
  const workOf = (replicas: number): Seconds => {
    const found = byReplicas[replicas]
    if (found !== undefined) return found
    const padded = replicas * sequencesEach(problem, replicas)
    const floored = sequences + Math.floor((padded - sequences) / step) * step
    const made = known(works, floored, () => leastWork(model, floored))
    byReplicas[replicas] = made
    return made
  }
  const batch = leastWork(model, sequences)
  const wait = leastWait(problem)
  return {
    of: (chips, replicas) =>
      (replicas === undefined ? batch : workOf(replicas)) / chips + stepOverheadSeconds,
    ofStages: (chips, replicas, pipeline) => {
      const filled = 1 + wait(pipeline) / sequencesEach(problem, replicas)
      return (workOf(replicas) * filled) / chips + stepOverheadSeconds
    },
  }
}

/** For how many turns of a microbatch a stage of so many waits at least, whatever the schedule: for none where one splits the backward pass. */
export function leastWait(problem: Problem): (pipeline: number) => number {
  const rows = triedScheduleRows(problem)
  const waits = !problem.assumptions.tokensDivideFreely && rows.every(({ split }) => split === null)
  const { layers } = problem.model
  const turns = new Map<number, number>()
  const turnsOf = (pipeline: number) =>
    known(turns, pipeline, () => waitingTurns(pipeline, mostVirtualChoice(rows, pipeline, layers)))
  return (pipeline) => (waits ? turnsOf(pipeline) : 0)
}
