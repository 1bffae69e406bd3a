/** Answers with ranked plans of prefill or generation, and with the cost of one given plan. */

import { z } from 'zod'
import type { InferenceAnswer, InferenceEvaluation, ParetoPoint } from '../../../src/plan/inference-plan.ts'
import { launchRead } from '../launch-read.ts'
import { phaseMode } from '../names.ts'
import { inferencePlan } from './inference-plan.ts'
import { regret } from './regret.ts'
import { resolvedFields } from './resolved.ts'
import { noPlan, searchAccount, sensitivity, suggestionsOfPlan } from './search-account.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const paretoPoint = z
  .object({
    ...inferencePlan.pick({
      id: true,
      summary: true,
      batchSequences: true,
      stepTimeSeconds: true,
      tokensPerSecondPerUser: true,
      tokensPerSecondPerChip: true,
      costPerMillionTokensUsd: true,
      costedTokens: true,
    }).shape,
    chipSecondsPerToken: z.number().describe('Chips times seconds for one token.'),
    chips: z
      .number()
      .describe(
        'Of one replica, not all that were asked for: the smallest deployment with this latency and cost; several side by side serve more.',
      ),
    plan: z
      .object({
        ...inferencePlan.pick({ mesh: true, placement: true, batchSequences: true, microbatches: true })
          .shape,
        layout: z.record(z.string(), z.string()).describe('By component.'),
      })
      .describe('What was chosen: as the `plan` of /evaluate, with all else as asked, it is answered whole.'),
  })
  .describe('A point of latency against cost.') satisfies z.ZodType<ParetoPoint>

export const inferenceAnswer = z.object({
  mode: phaseMode,
  plans: z.array(inferencePlan).describe('Best first.'),
  unlaunchable: unlaunchable(inferencePlan, refusals),
  pareto: z.exactOptional(
    z
      .array(paretoPoint)
      .describe('Generation: over all batches, the points that no other beats in both latency and cost.'),
  ),
  search: searchAccount,
  sensitivity: sensitivity.nullable(),
  infeasible: noPlan(z.object({ plan: inferencePlan, shortBytes: z.number() })),
  ...resolvedFields,
}) satisfies z.ZodType<InferenceAnswer>

export const inferenceEvaluation = z.object({
  mode: phaseMode,
  plan: inferencePlan,
  suggestions: suggestionsOfPlan,
  read: launchRead,
  regret,
  ...resolvedFields,
}) satisfies z.ZodType<InferenceEvaluation>
