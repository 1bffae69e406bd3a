/** What one plan alone is costed with, in a request and in an answer. */
import { z } from 'zod'
import { exactPartial } from '../exact-partial.ts'
import { optional } from '../field.ts'
import { assumptionChoices } from './assumption-choices.ts'
import { assumptionConstants } from './assumption-constants.ts'

const { overlapPrefetched, overlapCriticalPath } = assumptionConstants
const { expertTensor, residual, userBuffers } = assumptionChoices

export const costedWith = optional(
  'Training: assumptions that this plan alone is costed with, such as communication that its launch file does not hide, or a residual stream that it keeps whole. The best plan, that it is compared with, has those of the request.',
  z.strictObject(
    exactPartial({ overlapPrefetched, overlapCriticalPath, userBuffers, expertTensor, residual }),
  ),
)
