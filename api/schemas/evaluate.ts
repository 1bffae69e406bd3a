/** POST /evaluate. */
import { z } from 'zod'
import { inferenceEvaluation } from './answer/inference-answer.ts'
import { trainingEvaluation } from './answer/training-answer.ts'
import { sketch } from './given/sketch.ts'
import { launchFields } from './launch.ts'
import { questionFields } from './optimize.ts'

export const evaluateRequest = z
  .strictObject({ ...questionFields, plan: sketch })
  .describe('The request of /optimize, of which objective and top are ignored, and a plan.')

export type EvaluateRequest = z.output<typeof evaluateRequest>

export const evaluateLaunchRequest = z
  .strictObject(launchFields)
  .describe('The request of /evaluate with a launch file as its plan; what the file says may be left out.')

export type EvaluateLaunchRequest = z.output<typeof evaluateLaunchRequest>

export const evaluateResponse = z
  .discriminatedUnion('mode', [trainingEvaluation, inferenceEvaluation])
  .describe("By the workload's mode.")
