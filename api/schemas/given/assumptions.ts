/** Every choice that the formulas leave open: a name or some fields in a request, all values in an answer. */
import { z } from 'zod'
import { stackConstants as settable } from '../../../src/assumptions/stack.ts'
import { label } from '../bound.ts'
import { exactPartial } from '../exact-partial.ts'
import { optional } from '../field.ts'
import { basis, expertRecipeName } from '../names.ts'
import { picked } from '../picked.ts'
import { assumptionChoices } from './assumption-choices.ts'
import { assumptionConstants } from './assumption-constants.ts'

const chosen = { ...assumptionConstants, ...assumptionChoices } as const

export const assumptions = z.object({
  basis: basis.describe('The set that the other fields are changes of.'),
  stack: label().describe('The stack whose constants were used: a name from /stacks, or `none`.'),
  expertRecipe: expertRecipeName.describe(
    'How layers with experts are run: one of the ways for which GET /stacks/{name} has constants.',
  ),
  ...chosen,
})

/** The assumptions that a stack may set. */
export const stackConstants = z.strictObject(exactPartial(picked(chosen, Object.values(settable).flat())))

const overrides = z
  .strictObject({
    basis: basis.default('calibrated').describe('The set that the other fields are changes of.'),
    stack: optional(
      'A name from /stacks, whose constants for that software replace the general ones; or a framework, for its stack on these chips; or `none`. By default training uses the stack that is usual on these chips, and inference the stack of the server that may launch the plan, if there is only one; a warning says which.',
      label(),
    ),
    expertRecipe: optional(
      'How layers with experts are run: one of the ways that the stack has (GET /stacks/{name}), or `unstated` for none of them. The default is the way of the newest recipes of that software for these element types.',
      expertRecipeName,
    ),
    ...exactPartial(chosen),
  })
  .describe('Fields that replace those of `basis`.')

export const assumptionsRequest = z
  .union([basis, overrides])
  .describe(
    '`book`: ideal arithmetic, as in the book How to Scale Your Model. `calibrated`: efficiencies and overheads set on published runs. Or either of them with some fields replaced.',
  )

export type AssumptionsRequest = z.output<typeof assumptionsRequest>
