/** Layouts that a user wants for the components of inference. */
import { z } from 'zod'
import { cacheLayouts, projectionLayouts } from '../../../src/sharding/tables/inference-layout.ts'
import { expertPlaces, latentForms } from '../../../src/sharding/tables/inference-layout-fields.ts'

const projection = z.enum(projectionLayouts)

const perHead = projectionLayouts.flatMap((weights) =>
  cacheLayouts.map((cache) => `${weights}/${cache}` as const),
)
const latent = perHead.flatMap((name) => latentForms.map((form) => `${name}/${form}` as const))
const experts = z.enum(
  projectionLayouts.flatMap((weights) => expertPlaces.map((places) => `${weights}/${places}` as const)),
)

/** A layout as in an answer. In training it follows from mesh and ZeRO stage, and is not read. */
export const answeredLayout = z
  .strictObject({
    components: z.record(z.string(), z.string()),
    shardings: z.exactOptional(z.unknown()),
    algorithm: z.exactOptional(z.unknown()),
  })
  .describe('As in an answer: of inference `components` is read, of training nothing.')

export const sketchedLayout = z
  .strictObject({
    attention: z.exactOptional(
      z
        .enum([...perHead, ...latent])
        .describe(
          'Of its weights, and of its cache; of latent attention whether the projections are absorbed.',
        ),
    ),
    mlp: z.exactOptional(projection.describe('Of dense layers.')),
    experts: z.exactOptional(experts.describe('Of their weights, and where experts are.')),
    block: z.exactOptional(
      z.enum(perHead).describe('Attention and MLP in one, of models that have them side by side.'),
    ),
    unembedding: z.exactOptional(projection),
  })
  .describe(
    'Inference: a layout per component. `1d` has the weights over tensor and tensor2 (Megatron), `2d` has D over tensor2 ' +
      '(2D weight-stationary), `gathered` and `gathered-all` gather weights over tensor2 or both. The cache lies by `heads`, ' +
      '`batch`, `heads-batch` or `sequence`. Experts are `sliced` or `spread` over the tensor chips, or `dispatched` over the ' +
      'expert axis (and `sliced` over tensor there).',
  )
