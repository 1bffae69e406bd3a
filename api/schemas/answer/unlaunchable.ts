/** The best plan of all, if no framework can launch it. */
import { z } from 'zod'

export const refusals = z
  .record(z.string(), z.array(z.string()))
  .describe('Per framework, why it cannot launch the plan.')

export function unlaunchable<Plan extends z.ZodType, Reasons extends z.ZodType>(
  plan: Plan,
  reasons: Reasons,
) {
  return z
    .object({
      plan,
      advantage: z
        .number()
        .nullable()
        .describe(
          'How many times better this plan is than the first listed plan, in what plans are ranked by; null where none is listed.',
        ),
      reasons,
    })
    .nullable()
    .describe(
      'The best plan of all, where it is better than every listed plan but no framework of `assumptions.frameworks` can launch it; null where the first listed plan is the best.',
    )
}
