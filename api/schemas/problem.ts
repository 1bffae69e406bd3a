/** An error in JSON: RFC 9457, with pointers into the request. */
import { z } from 'zod'
import { list, optional, text, texts } from './field.ts'

export const problemDocument = z.object({
  type: text('Path of the page that explains this kind of error.'),
  title: text('Name of this kind of error.'),
  status: z.int().min(400).max(599).describe('The status of the response.'),
  detail: text('What is wrong with this request.'),
  instance: text('Id of the request, as in `x-request-id`.'),
  errors: z.exactOptional(
    list(
      'What is wrong, value by value.',
      z.object({
        pointer: text('JSON pointer into the request.'),
        detail: text('What is wrong there.'),
        suggestions: z.exactOptional(texts('Values or names that would be accepted.')),
        correction: optional(
          'What was probably meant: setting each `value` at its `pointer` in the request, in this order, removes the error. ' +
            'A value of null removes the field.',
          z.array(
            z.object({
              pointer: text('JSON pointer into the request.'),
              value: z.unknown().describe('The value to set there.'),
            }),
          ),
        ),
      }),
    ),
  ),
})

export type ProblemDocument = z.output<typeof problemDocument>
