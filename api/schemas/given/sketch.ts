/** A plan that a user wrote, or one copied from an answer. */
import { z } from 'zod'
import { phasePlan } from '../answer/serve-plan.ts'
import { amount, count, countOrNone, label, mostBatchTokens, quantity } from '../bound.ts'
import { optional } from '../field.ts'
import { contextLayoutName, scheduleName } from '../names.ts'
import { withAnswered } from './answered-fields.ts'
import { axisName, partialMesh } from './axis.ts'
import { cacheShare } from './cache-share.ts'
import { costedWith } from './costed-with.ts'
import { answeredLayout, sketchedLayout } from './sketched-layout.ts'

const part = z.strictObject({ physical: countOrNone(7), size: count(1e6), stride: count(1e6) })

const placement = z.strictObject({
  axis: axisName,
  physical: z
    .array(countOrNone(7))
    .max(7)
    .describe(
      'On a torus, indices of the physical axes that carry the mesh axis; behind switches, the tiers that it spans, 0 for the innermost.',
    ),
  on: optional(
    '`ici` or `dcn`, with one entry for each where an axis is on both; behind switches, the outermost tier that it spans.',
    label(),
  ),
  wraps: z.exactOptional(z.boolean()),
  parts: z.exactOptional(z.array(part).max(7)),
})

const layers = amount(10_000)

const fields = {
  mesh: partialMesh,
  placement: z.exactOptional(z.array(placement).max(14)),
  zeroStage: z.exactOptional(countOrNone(3)),
  contextLayout: z.exactOptional(contextLayoutName.nullable()),
  microbatches: z.exactOptional(count(1e6)),
  microbatchTokens: z.exactOptional(quantity(mostBatchTokens)),
  pipelineSchedule: z.exactOptional(z.enum([...scheduleName.options, 'in-flight'])),
  virtualStages: z.exactOptional(count(10_000)),
  stageLayers: optional(
    'Number of layers of each stage. The search tries few divisions; any is costed.',
    z.array(layers).min(1).max(10_000),
  ),
  rematerialization: z.exactOptional(
    z.union([
      label(300).describe(
        "One policy for all layers: by name, or composed of the arrays that it keeps, by MaxText's names of them and of where they are kept, as in `custom(decoder_layer_input=offload key_proj=device)`.",
      ),
      z
        .array(z.strictObject({ policy: label(300), layers }))
        .max(2)
        .describe('Number of layers by policy; at most two policies.'),
    ]),
  ),
  layout: z.exactOptional(z.union([sketchedLayout, answeredLayout])),
  batchSequences: optional(
    'Generation: the batch to cost, in place of that of the workload.',
    count(mostBatchTokens),
  ),
  stepTokens: optional(
    'Prefill through a pipeline: the most tokens that a stage takes at once, over all replicas. It takes as many as it may.',
    count(mostBatchTokens),
  ),
  costedWith,
  cacheShare,
} as const

/** Every field of a plan is either read or known to be an answer's. */
export const known = withAnswered(fields, phasePlan.shape)

export const sketch = z
  .strictObject(known)
  .describe(
    'A plan from an answer, unchanged, or your own. Fields that are left out are chosen as /optimize would. Fields that say the same ' +
      '(such as `microbatches` and `microbatchTokens`) have to agree. Training reads the fields from `mesh` to `rematerialization`, and `costedWith`; ' +
      'inference reads `mesh`, `placement`, `layout`, `batchSequences`, `microbatches`, `microbatchTokens`, `stepTokens` and `cacheShare`.',
  )

export type Sketch = z.output<typeof sketch>
