/** Speculative decoding: a cheap model drafts tokens, the model verifies them in one step. */
import { z } from 'zod'
import { count, shareOrNone } from '../bound.ts'
import { optional } from '../field.ts'
import { modelRequest } from '../given/model.ts'

const fields = {
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
} as const

const longest = 64

export const speculative = speculating(
  z.strictObject({
    ...fields,
    tokens: z.exactOptional(count(longest).describe('Tokens drafted per step; the best number by default.')),
  }),
).describe('Speculative decoding.')

/** A server drafts as many tokens in every step, whatever its batch. */
export const servedSpeculative = speculating(
  z.strictObject({
    ...fields,
    tokens: count(longest).describe('Tokens drafted per step, as servers are told once for all batches.'),
  }),
).describe('Speculative decoding of a deployment.')

type Drafting = Readonly<Record<'draftModel' | 'draftCostRatio', z.ZodType>>

function speculating<Own extends z.ZodObject<Drafting>>(speculative: Own): Own {
  return speculative
    .refine(
      ({ draftModel, draftCostRatio }) => (draftModel === undefined) !== (draftCostRatio === undefined),
      { message: 'needs exactly one of draftModel and draftCostRatio' },
    )
    .meta({ oneOf: [{ required: ['draftModel'] }, { required: ['draftCostRatio'] }] })
}

export type SpeculativeRequest = z.output<typeof speculative>

export type ServedSpeculativeRequest = z.output<typeof servedSpeculative>
