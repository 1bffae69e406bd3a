/** Requests and answer of POST /validate. */
import { z } from 'zod'
import { frameworks } from '../../src/launch/framework.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Validation } from '../../src/validate.ts'
import { inferencePlan } from './answer/inference-plan.ts'
import { plan } from './answer/plan.ts'
import { modeOf, resolvedFields } from './answer/resolved.ts'
import { change, inFile, searchAccount } from './answer/search-account.ts'
import { servePlan } from './answer/serve-plan.ts'
import { preferred } from './answer/uncertainty.ts'
import { duration, label, share, shareOrNone } from './bound.ts'
import { flag, list, optional, text } from './field.ts'
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
    fits: z.exactOptional(flag('Whether the plan has to fit into the memory budget; true by default.')),
    understood: optional(
      'For a launch file: whether the framework has to know all its options; true by default. False where a program of your own adds options.',
      z.boolean(),
    ),
    minMfu: z.exactOptional(share().describe('Least MFU, from 0 to 1.')),
    maxStepSeconds: z.exactOptional(duration().describe('Longest step time.')),
    withinOfBest: optional(
      'How much longer the step may be than that of the best plan that the constraints allow (of those that are tied with the fastest, the one that /optimize prefers), as a fraction: 0.05 for 5 %. For a deployment, how many more chips it may take.',
      shareOrNone(),
    ),
    notBoundBy: optional(
      'Bottlenecks that the plan must not have: `hbm` and the like, or networks of this machine by name, such as `dcn` or `leaf`.',
      z.array(label()).min(1).max(20),
    ),
    launchableBy: optional(
      'Frameworks that all have to be able to launch the plan; for a launch file, its own by default. An empty list leaves this check out.',
      z.array(frameworkName).max(frameworks.length),
    ),
  })
  .describe('Requirements on the plan, beyond being legal.')

export const validateRequest = z
  .strictObject({ ...questionFields, plan: sketch, require: require.default({}) })
  .describe('A request of /evaluate, with requirements on its plan.')

export type ValidateRequest = z.output<typeof validateRequest>

export const validateServeRequest = z
  .strictObject({
    ...questionFields,
    workload: serveWorkload,
    plan: serveSketch,
    require: require
      .pick({ fits: true, understood: true, withinOfBest: true, launchableBy: true })
      .strict()
      .describe(
        'Requirements on the deployment, beyond being legal and meeting the rate and latencies of the workload.',
      )
      .register(ofOtherModes, {
        keys: ['minMfu', 'maxStepSeconds', 'notBoundBy'],
        says: 'does not exist in mode serve, as a deployment has no single step: it is checked against the rate and latencies of its workload, and may be checked with fits, withinOfBest and launchableBy',
      })
      .default({}),
  })
  .describe('A request of /validate in mode `serve`, whose plan is a deployment.')

export type ValidateServeRequest = z.output<typeof validateServeRequest>

export const validateLaunchRequest = z
  .strictObject({ ...launchFields, require: require.default({}) })
  .describe('A request of /validate whose plan is a launch file; fields that the file sets may be left out.')

export type ValidateLaunchRequest = z.output<typeof validateLaunchRequest>

/** A plan as fields, as a deployment, or as a launch file. */
export type ValidateAsked = ValidateRequest | ValidateServeRequest | ValidateLaunchRequest

const check = z.object({
  name: text(
    '`legal`, the name of a requirement, of a limit of the workload, or, for a launch file, `understood`.',
  ),
  ok: flag('Whether the check holds.'),
  pointer: text('JSON pointer into the request.'),
  expected: z.union([z.string(), z.number()]).describe('What is required.'),
  actual: z.union([z.string(), z.number()]).describe('What the plan has.'),
  message: text('The check in a sentence.'),
  nearest: optional(
    'Changes of the request; with any one of them the check holds. Where the plan was a launch file, they point below `/read/request` of this answer: make them there, and send `read.request`.',
    z.array(
      z.object({
        detail: text('The changes in words.'),
        changes: list('What to set, one after the other.', change),
        inFile,
      }),
    ),
  ),
})

const fields = {
  ok: flag('Whether all checks hold.'),
  checks: list('What was checked, in the order of the report.', check),
  preferred,
  search: searchAccount.omit({ elapsedMs: true, waitedMs: true }).describe('How the search for `best` went.'),
  read: launchRead,
  ...resolvedFields,
  doubts: optional(
    'Those of the warnings for which what runs may be another than what was checked, or than what was meant, or for which a better plan may not have been looked at; absent where there are none.',
    z.array(z.string()),
  ),
}

const stepValidation = <Mode extends z.ZodType, Checked extends z.ZodType>(mode: Mode, checked: Checked) =>
  z.object({
    mode: modeOf(mode),
    plan: checked.nullable().describe('The plan; null where it is illegal.'),
    best: checked
      .nullable()
      .describe(
        'The best plan that the constraints allow: of those that are tied with the fastest, the one that `/optimize` prefers (`preferred`); null where nothing fits.',
      ),
    ...fields,
  })

export const trainingValidation = stepValidation(z.literal('train'), plan) satisfies z.ZodType<Validation>

export const inferenceValidation = stepValidation(phaseMode, inferencePlan) satisfies z.ZodType<Validation>

export const serveValidation = z.object({
  mode: modeOf(z.literal('serve')),
  plan: servePlan.nullable().describe('The deployment; null where it is illegal.'),
  best: servePlan
    .nullable()
    .describe(
      'The best deployment that the constraints allow: of those that are tied with the first, the one that `/optimize` prefers (`preferred`); null where none does.',
    ),
  ...fields,
}) satisfies z.ZodType<Validation<ServePlan>>

export const validateResponse = z
  .discriminatedUnion('mode', [trainingValidation, inferenceValidation, serveValidation])
  .describe("The answer for the workload's mode.")
