/** Request and answer of POST /calibrate. */
import { z } from 'zod'
import type { CalibratedRun, Calibration } from '../../src/calibrate.ts'
import { reassumable } from '../../src/cost/reassumed.ts'
import { duration, label } from './bound.ts'
import { evaluateLaunchRequest, evaluateRequest } from './evaluate.ts'
import { flag, list, number, object, optional, text, texts } from './field.ts'
import { type AssumptionsRequest, assumptionsRequest } from './given/assumptions.ts'
import { questionFields } from './optimize.ts'

/** The work grows with the runs: up to 343 steps are costed for each. */
const mostRuns = 20

const measured = {
  name: optional('What the answer and errors call the run; without one it is "run 2".', label()),
  measuredStepSeconds: duration().describe('Measured time of one step.'),
}

export const measuredRun = z
  .strictObject({ ...evaluateRequest.shape, ...measured })
  .describe('A training request of /evaluate, and its measured step time.')

export const measuredLaunch = z
  .strictObject({ ...evaluateLaunchRequest.shape, ...measured })
  .describe('A training request of /evaluate whose plan is a launch file, and its measured step time.')

const constant = z.enum(reassumable)

export const calibrateRequest = z
  .strictObject({
    runs: z
      .array(z.union([measuredRun, measuredLaunch]))
      .min(1)
      .max(mostRuns)
      .describe('Runs on one kind of chip, with the same assumptions for the constants that are to be set.'),
    constants: optional(
      'The constants to set. Default: sustainedShare with fewer than three runs; sustainedShare and overlapCriticalPath with three or more.',
      z
        .array(constant)
        .min(1)
        .max(3)
        .refine((names) => new Set(names).size === names.length, 'name each constant once'),
    ),
    timeoutMs: questionFields.timeoutMs,
  })
  .describe('A few measured runs, and the assumptions to set on them.')

export type CalibrateRequest = z.output<typeof calibrateRequest>

/** Runs of any kind: each is validated as what it is, so that faults are in its terms. */
export const calibrateOutline = calibrateRequest.extend({
  runs: z.array(z.looseObject({})).min(1).max(mostRuns),
})

export interface NamedRun extends CalibratedRun {
  readonly name: string
}

export interface CalibrateBody extends Omit<Calibration, 'runs'> {
  readonly runs: readonly NamedRun[]
  readonly assumptions: AssumptionsRequest
  readonly warnings: readonly string[]
}

const errors = object(
  'Relative errors, over the runs: the larger of measured / predicted and predicted / measured, minus 1.',
  { median: number('Over the runs.'), worst: number('Of the worst run.') },
)

export const calibrateResponse = z.object({
  assumptions: assumptionsRequest.describe(
    'The assumptions of the first run, with the constants that were set: send them with your requests.',
  ),
  constants: list(
    'The constants that were set.',
    z.object({
      name: constant.describe('Its name in `assumptions`.'),
      assumed: number('Value before.'),
      value: number('Most likely value, given the runs.'),
      spreadLeft: number(
        'Spread that these runs leave, as a fraction of the spread expected beforehand; 1 where they say nothing about this constant.',
      ),
    }),
  ),
  error: object('How far predictions are from the measured times.', {
    assumed: errors.describe('Errors with the assumed constants.'),
    fitted: errors.describe('Errors with the constants that were set.'),
    leftOut: errors.describe(
      'Errors of each run when predicted with constants set on the other runs: what to expect for a new run.',
    ),
  }),
  runs: list(
    'The runs, in the order of the request.',
    z.object({
      name: text('The name that the request gives, or its number: "run 2".'),
      plan: text('Summary of the plan.'),
      measuredStepSeconds: number('Measured time of one step, as in the request.'),
      assumedStepSeconds: number('Prediction with the assumed constants.'),
      stepSeconds: number('Prediction with the constants that were set.'),
      leftOutStepSeconds: number('Prediction with constants set on the other runs alone.'),
      nearestStepSeconds: number(
        'The nearest to the measured time that any values of these constants can predict.',
      ),
      fits: flag(
        'False where a run is not fitted, because it is far from the others, or more than three times off anything that the constants can explain.',
      ),
    }),
  ),
  warnings: texts(
    'Runs that do not fit, constants of which the runs say nothing, and what launch files leave open.',
  ),
}) satisfies z.ZodType<CalibrateBody>
