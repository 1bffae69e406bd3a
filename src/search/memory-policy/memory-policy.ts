/**
 * The memory policy of one layout as a mixed-integer programme: how many layers of each stage use which
 * rematerialisation policy, so that the step is shortest within the budget. It checks the closed form in
 * cost/memory/remat.ts; the duals of its relaxation say what a byte of budget is worth. In ms and GiB:
 *
 *   minimise  S + Σ_i s_i·t_i/v + h·T + constants
 *
 *   t_i = F_i + b_i + e(x_i)        one microbatch on stage i; x_ip layers of stage i use policy p, Σ_p x_ip = L_i
 *   b_i >= B_k(x_i)                 backward: compute, or one of the network's resources; each linear in x_i
 *   S >= (m - 1/v)·t_i + once_i + g_i - b_i    the busiest stage: what weights and gradients add once a step with it
 *   g_i >= G_k(x_i)                 the backward window with the gradients in it
 *   T >= t_i                        h is the holes' of an interleaved schedule (cost/step/step.ts)
 *                                   schedules that split the backward pass have rows of their own: search/stages/stage-part.ts
 *   fixed_i + f_i · Σ_p kept_p·x_ip + live <= budget
 *
 * There are s_i stages like i. layer-counts.ts says which x are possible.
 */

import type { LinearProgram, Point, Row, Solver } from '../../../solvers/linear-program.ts'
import { ofStage } from '../../cost/compile/composed.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { offloads } from '../../cost/memory/remat.ts'
import { fixedBytes, type Mix } from '../../cost/memory/stage-memory.ts'
import { createStepScratch } from '../../cost/step/stage-time.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import { holeTime } from '../../cost/step/step.ts'
import { splitBackward } from '../../recipe/schedule.ts'
import type { Seconds } from '../../units.ts'
import { splitPipeline, splitStage, weighted, wholePipeline, wholeStage } from '../stages/stage-part.ts'
import { type LayoutNumbers, milliseconds, stageWindows } from '../stages/stage-windows.ts'
import { type Counting, type LayerCounts, readMix, realCounts, twoPolicies } from './layer-counts.ts'
import { sum, type Terms, times } from './linear-terms.ts'

const gibibytes = 2 ** -30

/** What of the point is told beside its time. */
export type MemoryPolicyAnswer<Told = object> =
  | ({ readonly status: 'optimal'; readonly stepTimeSeconds: Seconds } & Told)
  | { readonly status: 'infeasible' | 'unsolved' }

/** With counts as real numbers, which no policy is faster than; and the seconds that one more byte of budget would take off the step. */
export function relaxMemoryPolicy(
  numbers: LayoutNumbers,
  solver: Solver,
): MemoryPolicyAnswer<{ readonly secondsPerByte: number }> {
  return answered(numbers, solver, realCounts, (point) => ({
    secondsPerByte: secondsPerByte(point, numbers.layers.groups),
  }))
}

export function solveMemoryPolicy(
  numbers: LayoutNumbers,
  solver: Solver,
): MemoryPolicyAnswer<{ readonly mix: Mix }> {
  return answered(numbers, solver, twoPolicies, (point) => ({
    mix: readMix(point, numbers.memory.kept.length),
  }))
}

function answered<Told>(
  numbers: LayoutNumbers,
  solver: Solver,
  counting: Counting,
  told: (point: Point) => Told,
): MemoryPolicyAnswer<Told> {
  const { program, constant } = memoryPolicyProgram(numbers, counting)
  const answer = solver(program)
  if (answer.status === 'infeasible') return { status: 'infeasible' }
  if (answer.status !== 'optimal') return { status: 'unsolved' }
  const { point } = answer
  return { status: 'optimal', stepTimeSeconds: point.objective / milliseconds + constant, ...told(point) }
}

/** `constant` is what the step takes whatever the policy, beside the objective. */
function memoryPolicyProgram(
  numbers: LayoutNumbers,
  counting: Counting,
): { readonly program: LinearProgram; readonly constant: Seconds } {
  const { model, memory, layers } = numbers
  const { groups, schedule, microbatches } = layers
  const { memoryBudget, assumptions } = model.problem
  const counts = counting(memory, groups, gibibytes, !assumptions.tokensDivideFreely)
  const stages = groups.reduce((count, group) => count + group.stages, 0)
  const { virtualStages } = schedule
  const split = splitBackward(schedule, stages, microbatches)
  const scratch = createStepScratch(model.resources)
  const parts = groups.map((group, i) => {
    const fixed = memoryBudget - fixedBytes(memory, group)
    const windows = stageWindows(numbers, group, scratch)
    const own = split
      ? splitStage(windows, i, counts, microbatches, split)
      : wholeStage(
          windows,
          i,
          counts,
          (microbatches - 1 / virtualStages) * group.slowdown,
          group.stages / virtualStages,
        )
    return {
      variables: own.variables,
      rows: [
        ...own.rows,
        { name: memoryRow(i), terms: memoryTerms(memory, group, i, counts), upper: fixed * gibibytes },
        ...withoutHost(memory, i, counts),
      ],
    }
  })
  const pipeline = split ? splitPipeline(groups) : wholePipeline(holeTime(1, stages, schedule, microbatches))
  const transfers = Math.max(0, stages - 2) * numbers.traffic.transferTime
  return {
    program: {
      variables: [...counts.variables, ...pipeline.variables, ...parts.flatMap(({ variables }) => variables)],
      rows: [...counts.rows, ...pipeline.rows, ...parts.flatMap(({ rows }) => rows)],
    },
    constant: transfers + layers.update + model.stepOverhead,
  }
}

/** What the layers of a stage keep, and what is live beside that. */
function memoryTerms(memory: MemoryNumbers, group: StageGroup, i: number, counts: LayerCounts): Terms {
  const { kept } = ofStage(memory, group)
  return sum([times(weighted(kept, i, counts), group.inFlight * gibibytes), counts.live(i)])
}

/** Policies that keep arrays on the host are never mixed, so the programme may not use them. */
function withoutHost(memory: MemoryNumbers, i: number, counts: LayerCounts): readonly Row[] {
  const away = memory.kept.flatMap((_, policy) =>
    offloads(memory, policy) ? [counts.layers(i, policy)] : [],
  )
  return away.length > 0 ? [{ name: `on the host ${i}`, terms: sum(away), upper: 0 }] : []
}

function memoryRow(stage: number): string {
  return `memory ${stage}`
}

/** More budget moves the right-hand sides of all stages at once. */
function secondsPerByte({ duals = {} }: Point, groups: readonly StageGroup[]): number {
  const perGibibyte = groups.reduce((price, _, stage) => price - (duals[memoryRow(stage)] ?? 0), 0)
  return Math.max(0, (perGibibyte / milliseconds) * gibibytes)
}
