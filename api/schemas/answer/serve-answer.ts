/** Answers with ranked deployments. */
import { z } from 'zod'
import type { ServeAnswer } from '../../../src/plan/inference-plan.ts'
import { list, orNull } from '../field.ts'
import { modeOf, resolvedFields } from './resolved.ts'
import { noPlan, searchAccount } from './search-account.ts'
import { servePlan } from './serve-plan.ts'
import { preferred } from './uncertainty.ts'
import { refusals, unlaunchable } from './unlaunchable.ts'

export const serveAnswer = z.object({
  mode: modeOf(z.literal('serve')),
  plans: list(
    'Best first: the fewest chips; without a rate in the request, the most requests per second from the whole pool.',
    servePlan,
  ),
  preferred,
  alternative: orNull(
    'The best deployment of the other kind than the first: both phases on the same servers where the first has them apart, and the other way round, with rank 0. Null where the request wants one kind, none of the other will do, or there was no time to look.',
    servePlan,
  ),
  unlaunchable: unlaunchable(servePlan, refusals),
  search: searchAccount,
  infeasible: noPlan(
    z.object({
      plan: servePlan,
      shortSeconds: z
        .number()
        .describe(
          'Seconds by which it is over the limits on the first or on each further token; 0 where it keeps them.',
        ),
      shortRequestsPerSecond: z
        .number()
        .describe('Requests a second by which it is below the rate that is asked for; 0 where it keeps it.'),
    }),
  ),
  ...resolvedFields,
}) satisfies z.ZodType<ServeAnswer>
