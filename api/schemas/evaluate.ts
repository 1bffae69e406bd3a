/** POST /evaluate. */
import { z } from 'zod'
import { inferenceEvaluation } from './answer/inference-answer.ts'
import { trainingEvaluation } from './answer/training-answer.ts'
import { sketch } from './given/sketch.ts'
import { launchFields } from './launch.ts'
import { questionFields } from './optimize.ts'

export const evaluateRequest = z
  .strictObject({
    ...questionFields,
    plan: sketch,
    regret: z.exactOptional(
      z
        .boolean()
        .describe(
          'Also search for the best plan that the same frameworks launch, and say what it would save.',
        ),
    ),
  })
  .describe('The request of /optimize, of which objective and top are ignored, and a plan.')

export type EvaluateRequest = z.output<typeof evaluateRequest>

export const evaluateLaunchRequest = z
  .strictObject({ ...launchFields, regret: z.exactOptional(z.unknown()) })
  .describe('The request of /evaluate with a launch file as its plan; what the file says may be left out.')

export type EvaluateLaunchRequest = z.output<typeof evaluateLaunchRequest>

export const evaluateResponse = z
  .discriminatedUnion('mode', [trainingEvaluation, inferenceEvaluation])
  .describe("By the workload's mode.")
