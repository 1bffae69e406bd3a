/** Layouts that a user wants for the components of inference. */
import { z } from 'zod'
import { latentForms, placesBeside } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { projectionLayouts, projectionUse } from '../../../src/sharding/tables/inference-sharding.ts'
import { oneOf, optional } from '../field.ts'

const projection = z.enum(projectionLayouts)

const perHead = projectionLayouts.flatMap((weights) =>
  projectionUse(weights).caches.map((cache) => `${weights}/${cache}` as const),
)
const latent = perHead.flatMap((name) => latentForms.map((form) => `${name}/${form}` as const))
const experts = z.enum(
  projectionLayouts.flatMap((weights) =>
    placesBeside(weights).map((places) => `${weights}/${places}` as const),
  ),
)

/** A layout as in an answer. In training it follows from mesh and ZeRO stage, and is not read. */
export const answeredLayout = z
  .strictObject({
    components: z.record(z.string(), z.string()),
    shardings: z.exactOptional(z.unknown()),
    algorithm: z.exactOptional(z.unknown()),
  })
  .describe(
    'As in an answer. Inference reads `components`; training reads nothing, as its layout follows from mesh and ZeRO stage.',
  )

export const sketchedLayout = z
  .strictObject({
    attention: z.exactOptional(
      oneOf(
        'Layout of the attention weights and of the KV cache; for latent attention also whether the projections are absorbed; where that is left out, whichever is faster.',
        [...perHead, ...latent],
      ),
    ),
    mlp: z.exactOptional(projection.describe('Layout of the MLP of dense layers.')),
    experts: optional('Layout of the expert weights, and which chips have which experts.', experts),
    block: z.exactOptional(
      oneOf('Layout of models with parallel blocks, where attention and MLP are one component.', perHead),
    ),
    unembedding: z.exactOptional(projection),
  })
  .describe(
    'Inference: a layout per component. `1d` shards the weights over tensor and tensor2 (as Megatron), `2d` shards D over tensor2 ' +
      '(2D weight-stationary), `gathered` and `gathered-all` gather the weights over tensor2 or over both axes. `copied` and `copied-all` have them once for each ' +
      'chip of tensor2, or of both axes, which then has sequences of its own (data-parallel attention); beside these, `1d-sequences` shards weights as `1d` does. The KV cache is sharded by `heads`, ' +
      '`batch`, `heads-batch` or `sequence`. Each expert is `sliced` over the tensor chips, experts are `spread` over them, or tokens are `dispatched` over the ' +
      'expert axis (where experts are `sliced` over tensor).',
  )
