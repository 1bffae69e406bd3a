/** The best plan of all, if no framework can launch it. */
import { z } from 'zod'

export const refusals = z
  .record(z.string(), z.array(z.string()))
  .describe('By framework, why it cannot launch the plan.')

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
          'How many times better: what plans are ranked by, of the first that is listed over this one. Null where none is listed.',
        ),
      reasons,
    })
    .nullable()
    .describe(
      'The best plan of all where it is better than any that is listed, as no framework of the assumptions can launch it; null where the first plan is the best there is.',
    )
}
