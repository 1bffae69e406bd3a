/** A plan that a user wrote. */
import { z } from 'zod'
import { contextLayouts } from '../../src/sharding/context-layout.ts'
import { axisName, partialMesh } from './axis.ts'
import { count, countOrNone, label, mostBatchTokens } from './bound.ts'
import { sketchedLayout } from './sketched-layout.ts'
import { scheduleName } from './train-workload.ts'

const placement = z.strictObject({
  axis: axisName,
  physical: z.array(countOrNone(7)).max(4).describe('Physical axes that carry the mesh axis.'),
})

export const sketch = z
  .strictObject({
    mesh: partialMesh,
    placement: z.exactOptional(z.array(placement).max(7)),
    zeroStage: z.exactOptional(countOrNone(3)),
    contextLayout: z.exactOptional(z.enum(contextLayouts)),
    microbatches: z.exactOptional(count(1e6)),
    microbatchTokens: z.exactOptional(count(mostBatchTokens)),
    pipelineSchedule: z.exactOptional(scheduleName),
    virtualStages: z.exactOptional(count(10_000)),
    rematerialization: z.exactOptional(
      z.union([
        label().describe('One policy for all layers.'),
        z
          .array(z.strictObject({ policy: label(), layers: countOrNone(10_000) }))
          .min(1)
          .max(2)
          .describe('Layers by policy.'),
      ]),
    ),
    layout: z.exactOptional(sketchedLayout),
  })
  .refine((plan) => plan.microbatches === undefined || plan.microbatchTokens === undefined, {
    path: ['microbatchTokens'],
    message: 'says the same as microbatches: give one of them',
  })
  .describe(
    'What is left out is chosen as /optimize would. In training there is no `layout`; in inference there are only ' +
      '`mesh`, `placement` and `layout`.',
  )

export type Sketch = z.output<typeof sketch>
