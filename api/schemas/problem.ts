/** An error in JSON: RFC 9457, with pointers into the request. */
import { z } from 'zod'
import { optional, text, texts } from './field.ts'

export const problemDocument = z.object({
  type: text('Path of the page that explains this kind of error.'),
  title: text('Name of this kind of error.'),
  status: z.int().min(400).max(599),
  detail: text('What is wrong with this request.'),
  instance: text('Id of the request, as in `x-request-id`.'),
  errors: z.exactOptional(
    z.array(
      z.object({
        pointer: text('JSON pointer into the request.'),
        detail: z.string(),
        suggestions: z.exactOptional(texts('Values or names that would be accepted.')),
        correction: optional(
          'What was probably meant: setting each `value` at its `pointer` in the request, in this order, removes the error. ' +
            'A value of null removes the field.',
          z.array(z.object({ pointer: z.string(), value: z.unknown() })),
        ),
      }),
    ),
  ),
})

export type ProblemDocument = z.output<typeof problemDocument>
