/** Constants of training set on somebody's own measured runs: each a plan with the step that it took. */

import { moved } from './calibration/constants.ts'
import {
  fitted,
  gridOf,
  type Point,
  residualAt,
  type Surface,
  spreadsLeft,
  ticksFor,
} from './calibration/fit.ts'
import { type Constants, type Reassumable, reassumed } from './cost/reassumed.ts'
import { evaluatedTrial, type Trial } from './evaluate.ts'
import { never, type Stop } from './patience.ts'
import { costing } from './plan/account/costing.ts'
import type { IllegalPlan } from './plan/answer.ts'
import { summary } from './plan/explain/summary.ts'
import type { PlanSketch, Problem } from './problem.ts'
import type { Seconds } from './units.ts'

export interface MeasuredRun {
  readonly problem: Problem
  readonly sketch: PlanSketch
  readonly measuredStepSeconds: Seconds
}

export interface FittedConstant {
  readonly name: Reassumable
  readonly assumed: number
  readonly value: number
  /** Of the spread that was expected around what is assumed, what the runs leave: 1 where they say nothing of it. */
  readonly spreadLeft: number
}

/** Of |measured / predicted - 1| and its inverse, whichever is more. */
export interface Errors {
  readonly median: number
  readonly worst: number
}

export interface CalibratedRun {
  readonly plan: string
  readonly measuredStepSeconds: Seconds
  /** As assumed, with what was set, and with what the other runs alone would set. */
  readonly assumedStepSeconds: Seconds
  readonly stepSeconds: Seconds
  readonly leftOutStepSeconds: Seconds
  /** Of all that the constants can predict, the nearest to what was measured. */
  readonly nearestStepSeconds: Seconds
  /** False of one that is far from what the others say, and of one that is beyond what the constants can explain. */
  readonly fits: boolean
}

export interface Calibration {
  readonly constants: readonly FittedConstant[]
  readonly error: { readonly assumed: Errors; readonly fitted: Errors; readonly leftOut: Errors }
  readonly runs: readonly CalibratedRun[]
}

/** What is set where nothing is asked for: the more runs, the more they may tell apart. */
export function usualConstants(runs: number): readonly Reassumable[] {
  return runs < 3 ? ['sustainedShare'] : ['sustainedShare', 'overlapCriticalPath']
}

/** Which of the runs is none that can be costed. */
export interface IllegalRun extends IllegalPlan {
  readonly run: number
}

/** Null where there was no time. */
export function calibrate(
  runs: readonly MeasuredRun[],
  names: readonly Reassumable[],
  stop: Stop = never,
): Calibration | IllegalRun | null {
  const trials: Trial[] = []
  for (const [run, { problem, sketch }] of runs.entries()) {
    if (stop()) return null
    const found = evaluatedTrial(problem, sketch)
    if ('illegal' in found) return { ...found, run }
    trials.push(found)
  }
  const ticks = ticksFor(names.length)
  const grid = gridOf(ticks, names.length)
  const assumedOf = (name: Reassumable) => runs[0]?.problem.assumptions[name] ?? 0
  const at = (point: Point): Constants =>
    Object.fromEntries(names.map((name, axis) => [name, moved(name, assumedOf(name), point[axis] ?? 0)]))
  const seconds = ({ model, candidate }: Trial, point: Point) =>
    costing(reassumed(model, at(point)), candidate).stepTime
  const residuals: number[][] = []
  for (const [run, trial] of trials.entries()) {
    const measured = runs[run]?.measuredStepSeconds ?? Number.NaN
    const own: number[] = []
    for (const point of grid) {
      if (stop()) return null
      own.push(Math.log(measured / seconds(trial, point)))
    }
    residuals.push(own)
  }
  const surface: Surface = { ticks, dimensions: names.length, residuals }
  const all = runs.map((_, run) => run)
  const apart = residuals.map(leastOff)
  // What no constants explain says nothing of them.
  const explained = all.filter((run) => !beyondReach(apart[run] ?? 0))
  const best = fitted(surface, explained)
  const left = spreadsLeft(surface, explained, best)
  const others = all.map((run) =>
    fitted(
      surface,
      explained.filter((other) => other !== run),
    ),
  )
  const offs = all.map((run) => Math.abs(residualAt(surface, run, others[run] ?? best)))
  const told = trials.map((trial, run): CalibratedRun => {
    const measured = runs[run]?.measuredStepSeconds ?? Number.NaN
    return {
      plan: summary(trial.model, trial.candidate),
      measuredStepSeconds: measured,
      assumedStepSeconds: seconds(
        trial,
        names.map(() => 0),
      ),
      stepSeconds: seconds(trial, best),
      leftOutStepSeconds: seconds(trial, others[run] ?? best),
      nearestStepSeconds: measured / Math.exp(apart[run] ?? 0),
      fits: explained.includes(run) && fitsOthers(run, explained, offs),
    }
  })
  return {
    constants: names.map((name, axis) => ({
      name,
      assumed: assumedOf(name),
      value: at(best)[name] ?? assumedOf(name),
      spreadLeft: left[axis] ?? 1,
    })),
    error: {
      assumed: errorsOf(told, ({ assumedStepSeconds }) => assumedStepSeconds),
      fitted: errorsOf(told, ({ stepSeconds }) => stepSeconds),
      leftOut: errorsOf(told, ({ leftOutStepSeconds }) => leftOutStepSeconds),
    },
    runs: told,
  }
}

/** Of log(measured / predicted) wherever the constants may lie, the one nearest to none. */
function leastOff(residuals: readonly number[]): number {
  const [least, most] = [Math.min(...residuals), Math.max(...residuals)]
  if (least > 0) return least
  return most < 0 ? most : 0
}

/** Slow or fast machines differ by less; units, batches and numbers of chips that are mistaken by more. */
function beyondReach(off: number): boolean {
  return Math.abs(off) > Math.log(3)
}

/** Whether the nearest that the constants can predict is still over three times more or less than what was measured. */
export function isBeyondReach({ measuredStepSeconds, nearestStepSeconds }: CalibratedRun): boolean {
  return beyondReach(Math.log(measuredStepSeconds / nearestStepSeconds))
}

/** A tenth is what one configuration measured again may differ by; two runs cannot say which of them is the odd one. */
const usual = 0.1

function fitsOthers(run: number, explained: readonly number[], offs: readonly number[]): boolean {
  const rest = explained
    .filter((other) => other !== run)
    .map((other) => offs[other] ?? 0)
    .sort((a, b) => a - b)
  if (rest.length < 2) return true
  const middle = rest[Math.floor((rest.length - 1) / 2)] ?? 0
  return (offs[run] ?? 0) <= Math.max(usual, 3 * middle)
}

function errorsOf(runs: readonly CalibratedRun[], predicted: (run: CalibratedRun) => Seconds): Errors {
  const errors = runs
    .map((run) => Math.exp(Math.abs(Math.log(predicted(run) / run.measuredStepSeconds))) - 1)
    .sort((a, b) => a - b)
  const middle = (errors.length - 1) / 2
  const [low = 0, high = low] = errors.slice(Math.floor(middle), Math.ceil(middle) + 1)
  return { median: (low + high) / 2, worst: errors.at(-1) ?? 0 }
}
