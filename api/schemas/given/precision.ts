/** The element types of what is stored and multiplied. */
import { z } from 'zod'
import { weightParts } from '../../../src/model/weight-parts.ts'
import { number, optional } from '../field.ts'
import { elementType } from '../names.ts'

/** As resolved for an answer. */
export const precisionUsed = z.object({
  weights: elementType.describe('In which weights are stored and read.'),
  compute: elementType.describe('Of matmul operands.'),
  kvCache: elementType.describe('In which the KV cache is stored and read.'),
  gradients: elementType.describe('In which gradients are accumulated and reduced.'),
  optimizer: elementType.describe('Of the optimizer moments.'),
  parameterBytes: optional(
    'For a quantised checkpoint: bytes per parameter, by part of the model, including scales and parts left in bf16.',
    z.record(z.enum(weightParts), z.number()),
  ),
  weightBlock: optional(
    'For a checkpoint that is quantised by blocks: rows and columns of a weight that share a scale. vLLM and SGLang refuse slices that are no whole blocks.',
    z.object({ rows: number('Of a block.'), columns: number('Of a block.') }),
  ),
  checkpoint: optional(
    'Inference: name of the released checkpoint that the weights are taken from, if it has one.',
    z.string(),
  ),
})

export const precision = z.strictObject({
  weights: elementType
    .optional()
    .describe(
      'Element type in which weights are stored and read; `mxfp4` and `nvfp4` include the scales of their blocks (4.25 and 4.5 bits). Default in inference: as the model is released (`checkpoints` of /models, or a Hugging Face config), including scales and parts left in bf16; otherwise bf16. If a type is named, the checkpoint released in that type is used, if there is one (for `fp4`, one in MXFP4 or NVFP4); otherwise all weights have that type, without scales.',
    ),
  compute: elementType
    .optional()
    .describe(
      "Element type of matmul operands; the chip has to support it. Default in inference: the type to which the checkpoint's quantisation casts activations, if the chip computes in it; otherwise bf16, to which narrower weights are unpacked.",
    ),
  kvCache: elementType
    .optional()
    .describe(
      'Element type in which the KV cache is stored and read. Default: in inference the type that the checkpoint names, otherwise bf16.',
    ),
  gradients: elementType
    .optional()
    .describe(
      'Element type in which gradients are accumulated and reduced over the network. Default: fp32 on GPUs under calibrated assumptions, as in Megatron; otherwise bf16.',
    ),
  optimizer: elementType
    .default('fp32')
    .describe(
      'Element type of the optimizer moments. Under calibrated assumptions an fp32 master copy of the weights is kept as well.',
    ),
})
