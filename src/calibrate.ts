/** Sets constants of the training model from somebody's own measured runs, each a plan with the step time that it took. */
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
import { evaluatedTrial } from './evaluate.ts'
import { never, type Stop } from './patience.ts'
import { stepSeconds } from './plan/account/costing.ts'
import type { IllegalPlan } from './plan/answer.ts'
import { summary } from './plan/explain/summary.ts'
import type { PlanSketch } from './plan-sketch.ts'
import type { Problem } from './problem.ts'
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
  /** Share of the spread expected around the assumed value that the runs leave open; 1 where they say nothing about the constant. */
  readonly spreadLeft: number
}

/** An error is |measured / predicted - 1| or the same of the inverse, whichever is larger. */
export interface Errors {
  readonly median: number
  readonly worst: number
}

export interface CalibratedRun {
  readonly plan: string
  readonly measuredStepSeconds: Seconds
  /** Step times predicted with the assumed constants, with the fitted ones, and with those that the other runs alone would fit. */
  readonly assumedStepSeconds: Seconds
  readonly stepSeconds: Seconds
  readonly leftOutStepSeconds: Seconds
  /** The step time nearest to the measured one that any values of the constants predict. */
  readonly nearestStepSeconds: Seconds
  /** False for a run that is far from what the others say, or that no values of the constants can explain. */
  readonly fits: boolean
}

export interface Calibration {
  readonly constants: readonly FittedConstant[]
  readonly error: { readonly assumed: Errors; readonly fitted: Errors; readonly leftOut: Errors }
  readonly runs: readonly CalibratedRun[]
}

/** Constants that are fitted when the request names none: more runs can tell more of them apart. */
export function usualConstants(runs: number): readonly Reassumable[] {
  return runs < 3 ? ['sustainedShare'] : ['sustainedShare', 'overlapCriticalPath']
}

/** Says which of the runs has a plan that cannot be costed. */
export interface IllegalRun extends IllegalPlan {
  readonly run: number
}

/** Null when there was no time to finish. */
export function calibrate(
  runs: readonly MeasuredRun[],
  names: readonly Reassumable[],
  stop: Stop = never,
): Calibration | IllegalRun | null {
  const timed = timedRuns(runs, names, stop)
  if (!timed || 'illegal' in timed) return timed
  const ticks = ticksFor(names.length)
  const residuals = residualsOn(gridOf(ticks, names.length), timed.runs, stop)
  if (!residuals) return null
  const surface: Surface = { ticks, dimensions: names.length, residuals }
  const all = runs.map((_, run) => run)
  const apart = residuals.map(leastOff)
  // A run that no constants explain says nothing about them, so it is left out of the fit.
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
  const unmoved = names.map(() => 0)
  const told = timed.runs.map(
    ({ plan, measured, seconds }, run): CalibratedRun => ({
      plan,
      measuredStepSeconds: measured,
      assumedStepSeconds: seconds(unmoved),
      stepSeconds: seconds(best),
      leftOutStepSeconds: seconds(others[run] ?? best),
      nearestStepSeconds: measured / Math.exp(apart[run] ?? 0),
      fits: explained.includes(run) && fitsOthers(run, explained, offs),
    }),
  )
  return {
    constants: names.map((name, axis) => ({
      name,
      assumed: timed.assumedOf(name),
      value: timed.at(best)[name] ?? timed.assumedOf(name),
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
/** Runs whose steps can be predicted with the constants moved to any point. */
interface Timed {
  readonly assumedOf: (name: Reassumable) => number
  readonly at: (point: Point) => Constants
  readonly runs: readonly TimedRun[]
}

interface TimedRun {
  readonly plan: string
  readonly measured: Seconds
  readonly seconds: (point: Point) => Seconds
}

function timedRuns(
  runs: readonly MeasuredRun[],
  names: readonly Reassumable[],
  stop: Stop,
): Timed | IllegalRun | null {
  const assumedOf = (name: Reassumable) => runs[0]?.problem.assumptions[name] ?? 0
  const at = (point: Point): Constants =>
    Object.fromEntries(names.map((name, axis) => [name, moved(name, assumedOf(name), point[axis] ?? 0)]))
  const timed: TimedRun[] = []
  for (const [run, { problem, sketch, measuredStepSeconds: measured }] of runs.entries()) {
    if (stop()) return null
    const found = evaluatedTrial(problem, sketch)
    if ('illegal' in found) return { ...found, run }
    const { model, candidate } = found
    const seconds = (point: Point) => stepSeconds(reassumed(model, at(point)), candidate)
    timed.push({ plan: summary(model, candidate), measured, seconds })
  }
  return { assumedOf, at, runs: timed }
}

/** log(measured / predicted) of each run at each point; null when it was time to stop. */
function residualsOn(
  grid: readonly Point[],
  runs: readonly TimedRun[],
  stop: Stop,
): readonly (readonly number[])[] | null {
  const residuals: number[][] = []
  for (const { measured, seconds } of runs) {
    const own: number[] = []
    for (const point of grid) {
      if (stop()) return null
      own.push(Math.log(measured / seconds(point)))
    }
    residuals.push(own)
  }
  return residuals
}

/** The value of log(measured / predicted) nearest to 0 that the constants can reach; 0 when they reach both signs. */
function leastOff(residuals: readonly number[]): number {
  const [least, most] = [Math.min(...residuals), Math.max(...residuals)]
  if (least > 0) return least
  return most < 0 ? most : 0
}

/** Slow or fast machines differ by less than a factor of 3; mistaken units, batches or numbers of chips by more. */
function beyondReach(off: number): boolean {
  return Math.abs(off) > Math.log(3)
}

/** Whether even the nearest prediction that the constants can reach is off by more than a factor of 3. */
export function isBeyondReach({ measuredStepSeconds, nearestStepSeconds }: CalibratedRun): boolean {
  return beyondReach(Math.log(measuredStepSeconds / nearestStepSeconds))
}

/** One configuration measured again may differ by a tenth, so less than that is never odd; of two runs, none can say which is odd. */
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
