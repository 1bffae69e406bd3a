/** The element type of everything that is kept or multiplied. */
import { z } from 'zod'
import { elementType } from './chip.ts'

/** As resolved, in an answer. */
export const precisionUsed = z.object({
  weights: elementType,
  compute: elementType,
  kvCache: elementType,
  gradients: elementType,
  optimizer: elementType,
})

export const precision = z.strictObject({
  weights: elementType
    .optional()
    .describe('As kept and streamed. Default: in inference what a Hugging Face config says, else bf16.'),
  compute: elementType.default('bf16').describe('Operands of the matmuls; the chip has to support it.'),
  kvCache: elementType.default('bf16').describe('As kept and streamed.'),
  gradients: elementType
    .optional()
    .describe(
      'As accumulated and as reduced over the network. Default: fp32 on GPUs under calibrated assumptions, as Megatron does; else bf16.',
    ),
  optimizer: elementType
    .default('fp32')
    .describe('Moments; an fp32 master copy is kept beside them under calibrated assumptions.'),
})
