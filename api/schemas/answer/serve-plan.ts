/** A deployment: instances of one plan for each phase, or of one that does both. */
import { z } from 'zod'
import type { PhasePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import { inferencePlan } from './inference-plan.ts'
import { infeasibility } from './plan.ts'
import { tokenCost } from './token-cost.ts'
import { serveUncertainty } from './uncertainty.ts'

const seconds = z.number()

export const phasePlan = z.object({
  ...inferencePlan.shape,
  chips: z.number().describe('Of all instances of the phase.'),
  chipsPerInstance: z.number().describe('Of one, which the plan is of.'),
  topology: z.array(z.int()).nullable().describe('The slice of one, on a torus; null behind switches.'),
  slices: z.int().describe('Slices of one.'),
  instances: z.number().describe('How many there are.'),
  utilization: z
    .number()
    .describe("Share of its time that an instance works, at the rate asked or the deployment's own."),
}) satisfies z.ZodType<PhasePlan>

const queueing = z
  .object({
    model: z.string().describe('Of the queue, in its usual notation.'),
    arrivalsPerSecond: z.number().describe('Requests that come.'),
    waitSeconds: seconds.describe('That a request waits for a prefill, on average.'),
  })
  .describe('How long requests wait, and by which model of a queue.')

const kvTransfer = z
  .object({
    bytesPerRequest: z.number().describe('Keys and values of one prompt.'),
    seconds: seconds.describe('That the first token waits for them.'),
    streamedPerLayer: z.boolean().describe('Whether they go layer by layer while the prefill runs.'),
  })
  .describe('Disaggregated: keys and values of a prompt go from prefill to generation.')

const secondLayout = z
  .object({
    copyBytesPerChip: z.number().describe('Of the second copy.'),
    reshardSeconds: seconds.describe('Of moving weights from the one layout to the other.'),
  })
  .describe('Both phases on the same chips with weights laid out differently: a second copy, or moving them.')

export const servePlan = z.object({
  rank: z.int().describe('In its list, from 1.'),
  feasible: z.boolean().describe('Whether it fits and keeps the limits of the request.'),
  infeasible: z.exactOptional(z.array(infeasibility).describe('What it misses, where it does.')),
  id: z.string().describe('A stable hash of the plan.'),
  summary: z.string().describe('The deployment in a line.'),
  disaggregated: z.boolean().describe('Whether phases have chips of their own.'),
  chips: z.number().describe('Of both phases.'),
  idleChips: z
    .number()
    .describe(
      'Of the pool, where no rate is asked for and all of it is there to be filled: costs and rates of a chip count them.',
    ),
  maxSequences: z
    .number()
    .describe(
      'Of a generate instance at once, prompts that it reads among them: what its server is told as a limit. More than memory has room for never run.',
    ),
  stepTokens: z
    .number()
    .nullable()
    .describe(
      'Of a step of a server that does both phases, at most: one of each sequence that generates, the others of prompts. Null where phases are apart.',
    ),
  contextLength: z.number().describe('Positions that the longest request may have.'),
  prefill: phasePlan.describe('Who reads prompts.'),
  generate: phasePlan.describe('Who generates.'),
  ratio: z.number().describe('Prefill instances per generate instance; 1 where one does both.'),
  requestsPerSecond: z.number().describe('What the deployment can sustain.'),
  uncertainty: serveUncertainty,
  timeToFirstTokenSeconds: seconds.describe('From the arrival of a request, on average, at the rate asked.'),
  timePerOutputTokenSeconds: seconds.describe('Of each token after the first.'),
  requestSeconds: seconds.describe('From arrival to last token.'),
  ...tokenCost,
  tokensPerSecondPerChip: z.number().describe('Output tokens over the chips of the deployment.'),
  queueing,
  kvTransfer: kvTransfer.nullable().describe('Null where the same chips do both.'),
  secondLayout: secondLayout.nullable().describe('Null where weights lie alike, or phases are apart.'),
  explanation: z.array(z.string()).describe('Why it is the best, in sentences.'),
  launch: z
    .record(z.string(), z.unknown())
    .describe(
      'By framework, how a server that does both phases is started (`commands`, as of any plan), or why it cannot be. Of phases apart their own `launch` starts them, and this one what stands before them.',
    ),
}) satisfies z.ZodType<ServePlan>
