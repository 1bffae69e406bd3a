/** Speculative decoding: a cheap model drafts tokens, the model verifies them in one step. */
import { z } from 'zod'
import { count, shareOrNone } from '../bound.ts'
import { modelRequest } from '../given/model.ts'

export const speculative = z
  .strictObject({
    draftModel: z.exactOptional(
      modelRequest.describe(
        'What drafts. Its cost is its active parameters over those of the model: generating a token streams weights, ' +
          'and both are taken to be kept in the same precision and laid out alike.',
      ),
    ),
    draftCostRatio: z.exactOptional(
      shareOrNone().describe('Time of drafting one token, as a share of a step of the model at one token.'),
    ),
    acceptance: shareOrNone().describe('Chance that a drafted token stands, given that those before it do.'),
    tokens: z.exactOptional(count(64).describe('Tokens drafted per step; the best number by default.')),
  })
  .refine((draft) => (draft.draftModel === undefined) !== (draft.draftCostRatio === undefined), {
    message: 'needs exactly one of draftModel and draftCostRatio',
  })
  .meta({ oneOf: [{ required: ['draftModel'] }, { required: ['draftCostRatio'] }] })
  .describe('Speculative decoding.')

export type SpeculativeRequest = z.output<typeof speculative>
