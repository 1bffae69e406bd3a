/** Requests and answer of POST /evaluate. */
import { z } from 'zod'
import { inferenceEvaluation, serveEvaluation, trainingEvaluation } from './answer/evaluation.ts'
import { optional } from './field.ts'
import { serveSketch } from './given/serve-sketch.ts'
import { sketch } from './given/sketch.ts'
import { launchFields } from './launch.ts'
import { questionFields } from './optimize.ts'
import { serveWorkload } from './workload/serve-workload.ts'

const regret = optional(
  'Also search for the best plan that the same frameworks launch, and answer how much it would save; false by default.',
  z.boolean(),
)

export const evaluateRequest = z
  .strictObject({ ...questionFields, plan: sketch, regret })
  .describe('A request of /optimize with a plan; `objective` and `top` are ignored.')

export type EvaluateRequest = z.output<typeof evaluateRequest>

export const evaluateServeRequest = z
  .strictObject({ ...questionFields, workload: serveWorkload, plan: serveSketch, regret })
  .describe('A request of /evaluate in mode `serve`, whose plan is a deployment.')

export type EvaluateServeRequest = z.output<typeof evaluateServeRequest>

export const evaluateLaunchRequest = z
  .strictObject({ ...launchFields, regret: z.exactOptional(z.unknown()) })
  .describe('A request of /evaluate whose plan is a launch file; fields that the file sets may be left out.')

export type EvaluateLaunchRequest = z.output<typeof evaluateLaunchRequest>

/** A plan as fields, as a deployment, or as a launch file. */
export type EvaluateAsked = EvaluateRequest | EvaluateServeRequest | EvaluateLaunchRequest

export const evaluateResponse = z
  .discriminatedUnion('mode', [trainingEvaluation, inferenceEvaluation, serveEvaluation])
  .describe("The answer for the workload's mode.")
