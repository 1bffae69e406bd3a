/** Answers with ranked training plans. */
import { z } from 'zod'
import type { OptimizeAnswer } from '../../../src/plan/answer.ts'
import { list } from '../field.ts'
import { plan } from './plan.ts'
import { recipe } from './recipe.ts'
import { modeOf, resolvedFields } from './resolved.ts'
import { noPlan, searchAccount, sensitivityOrNull, shortBytes } from './search-account.ts'
import { preferred } from './uncertainty.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const trainingAnswer = z.object({
  mode: modeOf(z.literal('train')),
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
