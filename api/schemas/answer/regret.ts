/** How much better than a given plan the best one is, if the request asks for it. */
import { z } from 'zod'
import { frameworks } from '../../../src/launch/framework.ts'
import type { Regret, ServeRegret } from '../../../src/plan/regret.ts'
import { mesh } from '../given/axis.ts'

const fields = z.object({
  savesFraction: z
    .number()
    .describe(
      'Of the time of a step, or where the batch is "max" of a token: what the best plan saves that the same frameworks launch, under the constraints of the request.',
    ),
  best: z.object({ summary: z.string(), mesh, stepTimeSeconds: z.number() }),
  frameworks: z.array(z.enum(frameworks)).describe('Who launches both.'),
  exact: z.boolean().describe('False where the search had to stop: the best so far.'),
}) satisfies z.ZodType<Regret>

export const regret = z.exactOptional(
  fields.nullable().describe('Where `regret` was asked; null of a plan that does not fit.'),
)

const ofDeployment = z.object({
  savesFraction: z
    .number()
    .describe(
      'Of chips, or where no rate is asked for of the time of a request: what the best deployment saves that the same frameworks launch, under the constraints of the request.',
    ),
  best: z.object({ summary: z.string(), chips: z.number(), requestsPerSecond: z.number() }),
  frameworks: z.array(z.enum(frameworks)).describe('Who launches both.'),
  exact: z.boolean().describe('False where the search had to stop: the best so far.'),
}) satisfies z.ZodType<ServeRegret>

export const serveRegret = z.exactOptional(
  ofDeployment.nullable().describe('Where `regret` was asked; null of a deployment that misses something.'),
)
