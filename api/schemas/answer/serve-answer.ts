/** Ranked deployments. */
import { z } from 'zod'
import type { ServeAnswer } from '../../../src/plan/inference-plan.ts'
import { resolvedFields } from './resolved.ts'
import { noPlan, searchAccount } from './search-account.ts'
import { servePlan } from './serve-plan.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const serveAnswer = z.object({
  mode: z.literal('serve'),
  plans: z
    .array(servePlan)
    .describe('Fewest chips first; where no rate is given, the most requests a second and chip.'),
  unlaunchable: unlaunchable(servePlan, refusals),
  search: searchAccount,
  infeasible: noPlan(z.object({ plan: servePlan, shortSeconds: z.number() })),
  ...resolvedFields,
}) satisfies z.ZodType<ServeAnswer>
