/** Answers with ranked plans of prefill or generation. */
import { z } from 'zod'
import type { InferenceAnswer, ParetoPoint } from '../../../src/plan/inference-plan.ts'
import { number, object, optional } from '../field.ts'
import { phaseMode } from '../names.ts'
import { picked } from '../picked.ts'
import { inferencePlan } from './inference-plan.ts'
import { modeOf, resolvedFields } from './resolved.ts'
import { noPlan, searchAccount, sensitivityOrNull, shortBytes } from './search-account.ts'
import { preferred } from './uncertainty.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const paretoPoint = object('One point on the frontier of latency against cost.', {
  ...picked(inferencePlan.shape, [
    ...(['id', 'summary', 'batchSequences', 'stepTimeSeconds', 'tokensPerSecondPerUser'] as const),
    ...(['tokensPerSecondPerChip', 'costPerMillionTokensUsd', 'costedTokens'] as const),
  ]),
  chipSecondsPerToken: number('Chips times seconds for each token.'),
  chips: number(
    'Chips of one replica, not all that were asked for: the smallest deployment with this latency and cost. Several replicas side by side serve more.',
  ),
  plan: object(
    'The fields that were chosen. Sent as the `plan` of /evaluate, with the rest of the request unchanged, they give the whole plan.',
    {
      ...picked(inferencePlan.shape, ['mesh', 'placement', 'batchSequences', 'microbatches']),
      layout: z.record(z.string(), z.string()).describe('Layout of each component, by its name.'),
    },
  ),
}) satisfies z.ZodType<ParetoPoint>

export const inferenceAnswer = z.object({
  mode: modeOf(phaseMode),
  plans: z.array(inferencePlan).describe('Best first.'),
  preferred,
  unlaunchable: unlaunchable(inferencePlan, refusals),
  pareto: optional(
    'Only for generation: of all batch sizes, the points that no other point beats in both latency and cost.',
    z.array(paretoPoint),
  ),
  search: searchAccount,
  sensitivity: sensitivityOrNull,
  infeasible: noPlan(z.object({ plan: inferencePlan, shortBytes })),
  ...resolvedFields,
}) satisfies z.ZodType<InferenceAnswer>
