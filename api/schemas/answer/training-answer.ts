/** Answers with ranked training plans, and with the cost of one given plan. */
import { z } from 'zod'
import type { EvaluateAnswer, OptimizeAnswer } from '../../../src/plan/answer.ts'
import { list } from '../field.ts'
import { launchRead } from '../launch-read.ts'
import { plan } from './plan.ts'
import { recipe } from './recipe.ts'
import { regret } from './regret.ts'
import { resolvedFields } from './resolved.ts'
import { noPlan, searchAccount, sensitivityOrNull, shortBytes, suggestionsOfPlan } from './search-account.ts'
import { preferred } from './uncertainty.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const trainingAnswer = z.object({
  mode: z.literal('train').describe('The mode of the workload.'),
  plans: z.array(plan).describe('Best first.'),
  preferred,
  recipes: list(
    'Published training runs of this model on these chips: those of the same sequence length first, then the nearest in number of chips and sequence length, then the newest.',
    recipe,
  ),
  unlaunchable: unlaunchable(plan, refusals),
  search: searchAccount,
  sensitivity: sensitivityOrNull,
  infeasible: noPlan(z.object({ plan, shortBytes })),
  ...resolvedFields,
}) satisfies z.ZodType<OptimizeAnswer>

export const trainingEvaluation = z.object({
  mode: z.literal('train').describe('The mode of the workload.'),
  plan,
  suggestions: suggestionsOfPlan,
  read: launchRead,
  regret,
  ...resolvedFields,
}) satisfies z.ZodType<EvaluateAnswer>
