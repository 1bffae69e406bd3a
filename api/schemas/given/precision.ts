/** The element types of what is stored and multiplied. */

import { z } from 'zod'
import { weightParts } from '../../../src/model/weight-parts.ts'
import { elementType } from '../names.ts'

/** As resolved for an answer. */
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
        'Of a quantised checkpoint: bytes of a parameter by part, with scales, and with what is left in bf16.',
      ),
  ),
  checkpoint: z.exactOptional(
    z.string().describe('Inference: the released checkpoint that weights are those of, where it has a name.'),
  ),
})

export const precision = z.strictObject({
  weights: elementType
    .optional()
    .describe(
      'As kept and streamed; `mxfp4` and `nvfp4` count the scales of their blocks (4.25 and 4.5 bits). Default: in inference as the model is released (`checkpoints` of /models, or a Hugging Face config), scales and parts that are left in bf16 included; else bf16. A type that is named here takes the checkpoint released in it, if there is one (`fp4` one in MXFP4 or NVFP4); else it is that of all weights, without scales.',
    ),
  compute: elementType
    .optional()
    .describe(
      "Operands of the matmuls; the chip has to support it. Default: in inference the type that the checkpoint's quantisation casts activations to, where the chip computes in it; else bf16, to which narrower weights are unpacked.",
    ),
  kvCache: elementType
    .optional()
    .describe('As kept and streamed. Default: in inference what the checkpoint says, else bf16.'),
  gradients: elementType
    .optional()
    .describe(
      'As accumulated and as reduced over the network. Default: fp32 on GPUs under calibrated assumptions, as Megatron does; else bf16.',
    ),
  optimizer: elementType
    .default('fp32')
    .describe('Moments; an fp32 master copy is kept beside them under calibrated assumptions.'),
})
