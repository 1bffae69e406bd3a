/** A deployment: instances of one plan for each phase, or of one that does both. */
import { z } from 'zod'
import type { PhasePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import { inferencePlan } from './inference-plan.ts'
import { infeasibility } from './plan.ts'
import { tokenCost } from './token-cost.ts'
import { againstFirst, serveUncertainty } from './uncertainty.ts'

const seconds = z.number()

export const phasePlan = z.object({
  ...inferencePlan.shape,
  chips: z.number().describe('Chips of all instances of the phase.'),
  chipsPerInstance: z.number().describe('Chips of one instance; the plan is for one instance.'),
  topology: z
    .array(z.int())
    .nullable()
    .describe('Shape of the slice of one instance, on a torus; null behind switches.'),
  slices: z.int().describe('Slices of one instance.'),
  instances: z.number().describe('Number of instances.'),
  utilization: z
    .number()
    .describe(
      'Fraction of the time that an instance is busy, at the rate of the request, or else at the highest rate that the deployment sustains.',
    ),
}) satisfies z.ZodType<PhasePlan>

const queueing = z
  .object({
    model: z.string().describe("The queueing model, in words and in Kendall's notation."),
    arrivalsPerSecond: z.number().describe('Requests that arrive per second.'),
    waitSeconds: seconds.describe(
      'Mean wait of a request: for a free prefill, and for a free slot in the generate batch.',
    ),
  })
  .describe('How long requests wait, and the queueing model behind it.')

const kvTransfer = z
  .object({
    bytesPerRequest: z.number().describe('Keys and values of one prompt.'),
    seconds: seconds.describe(
      'Network time of one prompt, hidden or not; the first token waits only for the part that is not hidden under the prefill.',
    ),
    streamedPerLayer: z.boolean().describe('Whether they are sent layer by layer while the prefill runs.'),
  })
  .describe('Disaggregated deployments: the transfer of keys and values from prefill to generate instances.')

const secondLayout = z
  .object({
    copyBytesPerChip: z.number().describe('Bytes per chip of the second copy of the weights.'),
    reshardSeconds: seconds.describe(
      'Time to move the weights from one layout to the other, if no second copy is kept.',
    ),
  })
  .describe(
    'Where both phases run on the same chips with different weight layouts: what a second copy takes, or moving the weights instead.',
  )

export const servePlan = z.object({
  rank: z.int().describe('Position in its list, from 1.'),
  feasible: z
    .boolean()
    .describe('Whether the deployment fits into memory and keeps the limits of the request.'),
  infeasible: z.exactOptional(
    z.array(infeasibility).describe('The limits that are missed; only where `feasible` is false.'),
  ),
  id: z.string().describe('A hash of the deployment, the same in every answer.'),
  summary: z.string().describe('The deployment in one line.'),
  disaggregated: z.boolean().describe('Whether prefill and generation run on separate chips.'),
  chips: z.number().describe('Chips of both phases together.'),
  idleChips: z
    .number()
    .describe(
      'Chips of the pool that stay idle. Without a rate in the request the whole pool is to be filled, so costs and rates per chip count them.',
    ),
  maxSequences: z
    .number()
    .describe(
      'Most sequences that one generate instance runs at once, including prompts being read: the limit that its server is given. No more run than memory has room for.',
    ),
  stepTokens: z
    .number()
    .nullable()
    .describe(
      'Most tokens in one step of a server that does both phases: one for each generating sequence, the rest from prompts. Null where the phases have separate chips.',
    ),
  contextLength: z
    .number()
    .describe('Most positions of one request, prompt and output together, that servers accept.'),
  prefill: phasePlan.describe('The instances that read prompts.'),
  generate: phasePlan.describe('The instances that generate.'),
  ratio: z
    .number()
    .describe('Prefill instances per generate instance; 1 where each instance does both phases.'),
  requestsPerSecond: z
    .number()
    .describe('Highest request rate that the deployment sustains within the limits.'),
  uncertainty: serveUncertainty,
  againstFirst,
  timeToFirstTokenSeconds: seconds.describe(
    'Mean time from the arrival of a request to its first token, including waiting, at the rate of the request.',
  ),
  timePerOutputTokenSeconds: seconds.describe('Mean time of each token after the first.'),
  requestSeconds: seconds.describe('Mean time from the arrival of a request to its last token.'),
  ...tokenCost,
  tokensPerSecondPerChip: z
    .number()
    .describe('Output tokens per second divided by the chips of the deployment, idle ones included.'),
  queueing,
  kvTransfer: kvTransfer.nullable().describe('Null where the same chips do both phases.'),
  secondLayout: secondLayout
    .nullable()
    .describe('Null where both phases lay the weights out alike, or run on separate chips.'),
  explanation: z
    .array(z.string())
    .describe('Sentences that say how the deployment is sized and what limits it.'),
  launch: z
    .record(z.string(), z.unknown())
    .describe(
      'Per framework, how to start a server that does both phases (`commands`, as in any plan), or why it cannot be started. With separate phases, the `launch` of each phase starts its servers, and this one starts the router in front of them.',
    ),
}) satisfies z.ZodType<ServePlan>
