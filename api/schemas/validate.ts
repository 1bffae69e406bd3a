/** Requests and answer of POST /validate. */

import { z } from 'zod'
import { frameworks } from '../../src/launch/framework.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Validation } from '../../src/validate.ts'
import { inferencePlan } from './answer/inference-plan.ts'
import { plan } from './answer/plan.ts'
import { resolvedFields } from './answer/resolved.ts'
import { searchAccount } from './answer/search-account.ts'
import { servePlan } from './answer/serve-plan.ts'
import { duration, label, share, shareOrNone } from './bound.ts'
import { serveSketch } from './given/serve-sketch.ts'
import { sketch } from './given/sketch.ts'
import { launchFields } from './launch.ts'
import { launchRead } from './launch-read.ts'
import { frameworkName, phaseMode } from './names.ts'
import { questionFields } from './optimize.ts'
import { ofOtherModes } from './other-modes.ts'
import { serveWorkload } from './workload/serve-workload.ts'

const require = z
  .strictObject({
    fits: z.exactOptional(
      z.boolean().describe('Whether it has to fit into the memory budget: true by default.'),
    ),
    minMfu: z.exactOptional(share()),
    maxStepSeconds: z.exactOptional(duration()),
    withinOfBest: z.exactOptional(
      shareOrNone().describe(
        'How much longer its step may be than that of the best plan that the constraints allow, or how many more chips a deployment may take: 0.05 is 5 %.',
      ),
    ),
    notBoundBy: z.exactOptional(
      z
        .array(label())
        .min(1)
        .max(20)
        .describe(
          'Bottlenecks that it may not have, and parts of the network that may not be one, as the machine has them: `dcn`, `leaf`, `hbm`.',
        ),
    ),
    launchableBy: z.exactOptional(z.array(frameworkName).min(1).max(frameworks.length)),
  })
  .describe('What the plan has to be, beyond legal.')

export const validateRequest = z
  .strictObject({ ...questionFields, plan: sketch, require: require.default({}) })
  .describe('The request of /evaluate, and what its plan has to be.')

export type ValidateRequest = z.output<typeof validateRequest>

export const validateServeRequest = z
  .strictObject({
    ...questionFields,
    workload: serveWorkload,
    plan: serveSketch,
    require: require
      .pick({ fits: true, withinOfBest: true, launchableBy: true })
      .strict()
      .describe('What the deployment has to be, beyond legal and as the workload asks.')
      .register(ofOtherModes, {
        keys: ['minMfu', 'maxStepSeconds', 'notBoundBy'],
        says: 'is not of mode serve, where a deployment has no one step: it may be held to fits, withinOfBest and launchableBy, and is to the rate and latencies of its workload',
      })
      .default({}),
  })
  .describe('The request of /validate in mode `serve`: its plan is a deployment.')

export type ValidateServeRequest = z.output<typeof validateServeRequest>

export const validateLaunchRequest = z
  .strictObject({ ...launchFields, require: require.default({}) })
  .describe('The request of /validate with a launch file as its plan; what the file says may be left out.')

export type ValidateLaunchRequest = z.output<typeof validateLaunchRequest>

/** A plan as fields, as a deployment, or as a launch file. */
export type ValidateAsked = ValidateRequest | ValidateServeRequest | ValidateLaunchRequest

const change = z.object({ pointer: z.string(), value: z.unknown() })

const check = z.object({
  name: z
    .string()
    .describe(
      '`legal`, the name of a requirement, what the workload asks for, or `understood` of a launch file.',
    ),
  ok: z.boolean(),
  pointer: z.string().describe('Into the request.'),
  expected: z.union([z.string(), z.number()]),
  actual: z.union([z.string(), z.number()]),
  message: z.string(),
  nearest: z.exactOptional(
    z
      .array(z.object({ detail: z.string(), changes: z.array(change) }))
      .describe('Changes of the request, with any one of which the check holds.'),
  ),
})

const fields = {
  ok: z.boolean(),
  checks: z.array(check),
  search: searchAccount.omit({ elapsedMs: true, waitedMs: true }),
  read: launchRead,
  ...resolvedFields,
}

export const trainingValidation = z.object({
  mode: z.literal('train'),
  plan: plan.nullable().describe('Null where it is illegal.'),
  best: plan.nullable().describe('The best that the constraints allow; null where nothing fits.'),
  ...fields,
}) satisfies z.ZodType<Validation>

export const inferenceValidation = z.object({
  mode: phaseMode,
  plan: inferencePlan.nullable(),
  best: inferencePlan.nullable(),
  ...fields,
}) satisfies z.ZodType<Validation>

export const serveValidation = z.object({
  mode: z.literal('serve'),
  plan: servePlan.nullable(),
  best: servePlan.nullable(),
  ...fields,
}) satisfies z.ZodType<Validation<ServePlan>>

export const validateResponse = z
  .discriminatedUnion('mode', [trainingValidation, inferenceValidation, serveValidation])
  .describe("By the workload's mode.")
