/** Layouts of the components of inference that a user wants. */
import { z } from 'zod'
import { cacheLayouts, projectionLayouts } from '../../src/sharding/inference-layout.ts'

const projection = z.enum(projectionLayouts)

const attention = z.enum(
  projectionLayouts.flatMap((weights) => cacheLayouts.map((cache) => `${weights}/${cache}` as const)),
)

export const sketchedLayout = z
  .strictObject({
    attention: z.exactOptional(attention.describe('Of its weights, and of its cache.')),
    mlp: z.exactOptional(projection),
    block: z.exactOptional(
      attention.describe('Attention and MLP in one, of models that have them side by side.'),
    ),
    unembedding: z.exactOptional(projection),
  })
  .describe(
    'Inference: a layout per component. `1d` has the weights over tensor and tensor2 (Megatron), `2d` has D over tensor2 ' +
      '(2D weight-stationary), `gathered` and `gathered-all` gather weights over tensor2 or both. The cache lies by `heads`, ' +
      '`batch`, `heads-batch` or `sequence`.',
  )
