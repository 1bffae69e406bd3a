/** An error in JSON: RFC 9457, with pointers into the request. */
import { z } from 'zod'

export const problemDocument = z.object({
  type: z.string().describe('Where the kind of error is explained.'),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  instance: z.string().describe('The id of the request, as in x-request-id.'),
  errors: z.exactOptional(
    z.array(
      z.object({
        pointer: z.string().describe('JSON pointer into the request.'),
        detail: z.string(),
        suggestions: z.exactOptional(z.array(z.string())),
        correction: z.exactOptional(
          z
            .array(z.object({ pointer: z.string(), value: z.unknown() }))
            .describe(
              'What may have been meant: with each `value` at its `pointer` of the request, one after the other, this error is gone; ' +
                'null takes away what is there.',
            ),
        ),
      }),
    ),
  ),
})

export type ProblemDocument = z.output<typeof problemDocument>
