/** The best plan of all, if no framework can launch it. */
import { z } from 'zod'
import { numberOrNull, orNull, record } from '../field.ts'

export const refusals = record('Per framework, why it cannot launch the plan.', z.array(z.string()))

export function unlaunchable<Plan extends z.ZodType, Reasons extends z.ZodType>(
  plan: Plan,
  reasons: Reasons,
) {
  return orNull(
    'The best plan of all, where it is better than every listed plan but no framework of `assumptions.frameworks` can launch it; null where the first listed plan is the best.',
    z.object({
      plan,
      advantage: numberOrNull(
        'How many times better this plan is than the first listed plan, in what plans are ranked by; null where none is listed.',
      ),
      reasons,
    }),
  )
}
