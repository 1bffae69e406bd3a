/** A deployment: instances of one plan for each phase, or of one that does both. */
import { z } from 'zod'
import type { PhasePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import { flag, number, numberOrNull, object, optional, orNull, text, texts, whole } from '../field.ts'
import { inferencePlan } from './inference-plan.ts'
import { launch } from './launch.ts'
import { infeasibility } from './plan.ts'
import { tokenCost } from './token-cost.ts'
import { againstFirst, serveUncertainty } from './uncertainty.ts'

export const phasePlan = z.object({
  ...inferencePlan.shape,
  chips: number('Chips of all instances of the phase.'),
  chipsPerInstance: number('Chips of one instance; the plan is for one instance.'),
  topology: orNull('Shape of the slice of one instance, on a torus; null behind switches.', z.array(z.int())),
  slices: whole('Slices of one instance.'),
  instances: number('Number of instances.'),
  utilization: number(
    'Fraction of the time that an instance is busy, at the rate of the request, or else at the highest rate that the deployment sustains.',
  ),
}) satisfies z.ZodType<PhasePlan>

const queueing = object('How long requests wait, and the queueing model behind it.', {
  model: text("The queueing model, in words and in Kendall's notation."),
  arrivalsPerSecond: number('Requests that arrive per second.'),
  waitSeconds: number(
    'Mean wait of a request: for a free prefill, and for a free slot in the generate batch.',
  ),
})

const kvTransfer = object(
  'Disaggregated deployments: the transfer of keys and values from prefill to generate instances.',
  {
    bytesPerRequest: number('Keys and values of one prompt.'),
    seconds: number(
      'Network time of one prompt, hidden or not; the first token waits only for the part that is not hidden under the prefill.',
    ),
    streamedPerLayer: flag('Whether they are sent layer by layer while the prefill runs.'),
  },
)

const secondLayout = object(
  'Where both phases run on the same chips with different weight layouts: what a second copy takes, or moving the weights instead.',
  {
    copyBytesPerChip: number('Bytes per chip of the second copy of the weights.'),
    reshardSeconds: number(
      'Time to move the weights from one layout to the other, if no second copy is kept.',
    ),
  },
)

export const servePlan = z.object({
  rank: whole('Position in its list, from 1.'),
  feasible: flag('Whether the deployment fits into memory and keeps the limits of the request.'),
  infeasible: optional('The limits that are missed; only where `feasible` is false.', z.array(infeasibility)),
  id: text('A hash of the deployment, the same in every answer.'),
  summary: text('The deployment in one line.'),
  disaggregated: flag('Whether prefill and generation run on separate chips.'),
  chips: number('Chips of both phases together.'),
  idleChips: number(
    'Chips of the pool that stay idle. Without a rate in the request the whole pool is to be filled, so costs and rates per chip count them.',
  ),
  maxSequences: number(
    'Most sequences that one generate instance runs at once, including prompts being read: the limit that its server is given. No more run than memory has room for.',
  ),
  roomSequences: number(
    'Sequences of the asked lengths that memory of a generate instance has room for at once, up to `maxSequences`.',
  ),
  longestPositions: number(
    'Positions of the longest request that memory of a generate instance has room for, alone, up to `contextLength`. vLLM does not start where they are fewer.',
  ),
  stepTokens: numberOrNull(
    'Most tokens in one step of a server that does both phases: one for each generating sequence, and those that are drafted for it, the rest from prompts. Null where the phases have separate chips.',
  ),
  contextLength: number('Most positions of one request, prompt and output together, that servers accept.'),
  prefill: phasePlan.describe('The instances that read prompts.'),
  generate: phasePlan.describe('The instances that generate.'),
  ratio: number('Prefill instances per generate instance; 1 where each instance does both phases.'),
  requestsPerSecond: number('Highest request rate that the deployment sustains within the limits.'),
  uncertainty: serveUncertainty,
  againstFirst,
  timeToFirstTokenSeconds: number(
    'Mean time from the arrival of a request to its first token, including waiting, at the rate of the request.',
  ),
  timePerOutputTokenSeconds: number('Mean time of each token after the first.'),
  longestTokenSeconds: numberOrNull(
    'Longest time that a request waits for its next tokens: a step that reads a chunk of prompts as well. Null where the phases have separate chips.',
  ),
  requestSeconds: number('Mean time from the arrival of a request to its last token.'),
  ...tokenCost,
  tokensPerSecondPerChip: number(
    'Output tokens per second divided by the chips of the deployment, idle ones included.',
  ),
  queueing,
  kvTransfer: kvTransfer.nullable().describe('Null where the same chips do both phases.'),
  secondLayout: orNull(
    'Null where both phases lay the weights out alike, or run on separate chips.',
    secondLayout,
  ),
  explanation: texts('Sentences that say how the deployment is sized and what limits it.'),
  launch: launch.describe(
    'Per framework, how to start a server that does both phases, or why it cannot be started. With separate phases, the `launch` of each phase starts its servers, and this one starts the router in front of them.',
  ),
}) satisfies z.ZodType<ServePlan>
