/** Speculative decoding: a cheap model drafts tokens, the model verifies them in one step. */
import { z } from 'zod'
import { count, shareOrNone } from '../bound.ts'
import { optional } from '../field.ts'
import { modelRequest } from '../given/model.ts'

export const speculative = z
  .strictObject({
    draftModel: optional(
      'The draft model. A token of it costs a step of its own on the mesh of the plan, in the same precision; ' +
        'its memory is not counted.',
      modelRequest,
    ),
    draftCostRatio: optional(
      'Time to draft one token, as a fraction of a step of the model with one token.',
      shareOrNone(),
    ),
    acceptance: shareOrNone().describe(
      'Probability that a drafted token is accepted, given that those before it are.',
    ),
    tokens: z.exactOptional(count(64).describe('Tokens drafted per step; the best number by default.')),
  })
  .refine((draft) => (draft.draftModel === undefined) !== (draft.draftCostRatio === undefined), {
    message: 'needs exactly one of draftModel and draftCostRatio',
  })
  .meta({ oneOf: [{ required: ['draftModel'] }, { required: ['draftCostRatio'] }] })
  .describe('Speculative decoding.')

export type SpeculativeRequest = z.output<typeof speculative>
