/** A deployment: instances of one plan for each phase, or of one that does both. */
import { z } from 'zod'
import type { PhasePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import { inferencePlan } from './inference-plan.ts'
import { tokenCost } from './token-cost.ts'
import { serveUncertainty } from './uncertainty.ts'

const seconds = z.number()

export const phasePlan = z.object({
  ...inferencePlan.shape,
  chips: z.number(),
  chipsPerInstance: z.number(),
  instances: z.number(),
  utilization: z
    .number()
    .describe("Share of its time that an instance works, at the rate asked or the deployment's own."),
}) satisfies z.ZodType<PhasePlan>

const queueing = z
  .object({ model: z.string(), arrivalsPerSecond: z.number(), waitSeconds: seconds })
  .describe('How long requests wait, and by which model of a queue.')

const kvTransfer = z
  .object({ bytesPerRequest: z.number(), seconds, streamedPerLayer: z.boolean() })
  .describe('Disaggregated: keys and values of a prompt go from prefill to generation.')

const secondLayout = z
  .object({ copyBytesPerChip: z.number(), reshardSeconds: seconds })
  .describe('Both phases on the same chips with weights laid out differently: a second copy, or moving them.')

export const servePlan = z.object({
  rank: z.int(),
  feasible: z.boolean(),
  id: z.string().describe('A stable hash of the plan.'),
  summary: z.string(),
  disaggregated: z.boolean(),
  chips: z.number(),
  prefill: phasePlan,
  generate: phasePlan,
  ratio: z.number().describe('Prefill instances per generate instance; 1 where one does both.'),
  requestsPerSecond: z.number().describe('What the deployment can sustain.'),
  uncertainty: serveUncertainty,
  timeToFirstTokenSeconds: seconds,
  timePerOutputTokenSeconds: seconds,
  requestSeconds: seconds,
  ...tokenCost,
  tokensPerSecondPerChip: z.number(),
  queueing,
  kvTransfer: kvTransfer.nullable(),
  secondLayout: secondLayout.nullable(),
  explanation: z.array(z.string()),
}) satisfies z.ZodType<ServePlan>
