/** The element type of everything that is kept or multiplied. */
import { z } from 'zod'
import { weightParts } from '../../src/model/weight-parts.ts'
import { elementType } from './chip.ts'

/** As resolved, in an answer. */
export const precisionUsed = z.object({
  weights: elementType,
  compute: elementType,
  kvCache: elementType,
  gradients: elementType,
  optimizer: elementType,
  parameterBytes: z.exactOptional(
    z
      .record(z.enum(weightParts), z.number())
      .describe(
        'Of a quantised Hugging Face config: bytes of a parameter by part, with scales, and with what is left in bf16.',
      ),
  ),
})

export const precision = z.strictObject({
  weights: elementType
    .optional()
    .describe(
      "As kept and streamed. Default: in inference what a Hugging Face config says, its scales and the parts that it leaves in bf16 included; else bf16. A type that is named here is that of all weights, without scales, unless it is the config's own.",
    ),
  compute: elementType
    .optional()
    .describe(
      "Operands of the matmuls; the chip has to support it. Default: in inference the type that a Hugging Face config's quantisation casts activations to, where the chip computes in it; else bf16.",
    ),
  kvCache: elementType
    .optional()
    .describe('As kept and streamed. Default: in inference what a Hugging Face config says, else bf16.'),
  gradients: elementType
    .optional()
    .describe(
      'As accumulated and as reduced over the network. Default: fp32 on GPUs under calibrated assumptions, as Megatron does; else bf16.',
    ),
  optimizer: elementType
    .default('fp32')
    .describe('Moments; an fp32 master copy is kept beside them under calibrated assumptions.'),
})
