/** POST /evaluate. */
import { z } from 'zod'
import { inferenceEvaluation } from './inference-answer.ts'
import { questionFields } from './optimize.ts'
import { sketch } from './sketch.ts'
import { trainingEvaluation } from './training-answer.ts'

export const evaluateRequest = z
  .strictObject({ ...questionFields, plan: sketch })
  .describe('The request of /optimize, of which objective and top are ignored, and a plan.')

export type EvaluateRequest = z.output<typeof evaluateRequest>

export const evaluateResponse = z
  .discriminatedUnion('mode', [trainingEvaluation, inferenceEvaluation])
  .describe("By the workload's mode.")
