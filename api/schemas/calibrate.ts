/** Request and answer of POST /calibrate. */
import { z } from 'zod'
import type { Calibration } from '../../src/calibrate.ts'
import { reassumable } from '../../src/cost/reassumed.ts'
import { duration } from './bound.ts'
import { evaluateRequest } from './evaluate.ts'
import { type AssumptionsRequest, assumptionsRequest } from './given/assumptions.ts'
import { questionFields } from './optimize.ts'

/** The work grows with the runs: up to 343 steps are costed for each. */
const mostRuns = 20

const measuredRun = z
  .strictObject({
    ...evaluateRequest.shape,
    measuredStepSeconds: duration().describe('What one step of it took.'),
  })
  .describe('The request of /evaluate, of training, and the step that was measured.')

const constant = z.enum(reassumable)

export const calibrateRequest = z
  .strictObject({
    runs: z
      .array(measuredRun)
      .min(1)
      .max(mostRuns)
      .describe('On chips of one kind, under the same assumptions of what is to be set.'),
    constants: z.exactOptional(
      z
        .array(constant)
        .min(1)
        .max(3)
        .refine((names) => new Set(names).size === names.length, 'each constant once')
        .describe(
          'What to set: sustainedShare where there are fewer than three runs, else overlapCriticalPath too.',
        ),
    ),
    timeoutMs: questionFields.timeoutMs,
  })
  .describe('A few measured runs, and which of the assumptions to set on them.')

export type CalibrateRequest = z.output<typeof calibrateRequest>

export interface CalibrateBody extends Calibration {
  readonly assumptions: AssumptionsRequest
  readonly warnings: readonly string[]
}

const errors = z
  .object({ median: z.number(), worst: z.number() })
  .describe('Measured over predicted less 1, or its inverse, whichever is more.')

const seconds = z.number()

export const calibrateResponse = z.object({
  assumptions: assumptionsRequest.describe(
    'To send along with requests: those of the first run, with what was set.',
  ),
  constants: z.array(
    z.object({
      name: constant,
      assumed: z.number(),
      value: z.number(),
      spreadLeft: z
        .number()
        .describe(
          'Of the spread that was expected around what is assumed, what the runs leave: 1 where they say nothing of it.',
        ),
    }),
  ),
  error: z.object({
    assumed: errors,
    fitted: errors,
    leftOut: errors.describe(
      'Of each run, with what the others alone would set: what to expect of the next.',
    ),
  }),
  runs: z.array(
    z.object({
      plan: z.string(),
      measuredStepSeconds: seconds,
      assumedStepSeconds: seconds.describe('As predicted before.'),
      stepSeconds: seconds.describe('As predicted with what was set.'),
      leftOutStepSeconds: seconds.describe('With what the other runs alone would set.'),
      nearestStepSeconds: seconds.describe(
        'Of all that the constants can predict, the nearest to what was measured.',
      ),
      fits: z
        .boolean()
        .describe(
          'False of a run that is far from what the others say, or over three times more or less than the constants can explain, which is not fitted.',
        ),
    }),
  ),
  warnings: z.array(z.string()),
}) satisfies z.ZodType<CalibrateBody>
