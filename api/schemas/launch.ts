/** A plan that is a launch file, the rest of whose request may be left to it. */
import { z } from 'zod'
import { questionFields } from './optimize.ts'

const longestText = 200_000

export const launchedPlan = z
  .strictObject({
    megatron: z
      .union([z.string().min(1).max(longestText), z.array(z.string().max(10_000)).min(1).max(5000)])
      .optional()
      .describe(
        'What starts Megatron-LM: a command line, a script, or the words of one, such as `launch.megatron` of an answer.',
      ),
    torchtitan: z
      .string()
      .min(1)
      .max(longestText)
      .optional()
      .describe(
        'A TOML config of torchtitan, such as `launch.torchtitan` of an answer, or a command of its main (`--module`, `--config` and dotted options).',
      ),
  })
  .refine((plan) => (plan.megatron === undefined) !== (plan.torchtitan === undefined), {
    message: 'is of one framework',
  })
  .describe('A launch file in place of a plan.')

export type LaunchedPlan = z.output<typeof launchedPlan>

const left = z.exactOptional(z.unknown())

/** Held to the schema of the whole once what the file says is put in. */
export const launchFields = {
  model: left,
  hardware: left,
  workload: left,
  memoryBudget: left,
  precision: left,
  constraints: left,
  assumptions: left,
  objective: left,
  top: left,
  timeoutMs: questionFields.timeoutMs,
  plan: launchedPlan,
}

/** By the key of the plan, so that faults of one kind are told by its own schema. */
export function isLaunch(body: unknown): boolean {
  const plan = typeof body === 'object' && body !== null && 'plan' in body ? body.plan : null
  return typeof plan === 'object' && plan !== null && ('megatron' in plan || 'torchtitan' in plan)
}
