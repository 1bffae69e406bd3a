/** A deployment that a user wrote, or one copied from an answer. */
import { z } from 'zod'
import { servePlan } from '../answer/serve-plan.ts'
import { count, longestSequence, mostBatchTokens } from '../bound.ts'
import { flag, optional, orNull } from '../field.ts'
import { withAnswered } from './answered-fields.ts'
import { partialMesh } from './axis.ts'
import { cacheShare } from './cache-share.ts'
import { known } from './sketch.ts'

const instance = z
  .strictObject({
    ...known,
    mesh: z.exactOptional(partialMesh.describe('Mesh of one instance.')),
    instances: z.exactOptional(count(1e6).describe('Number of instances.')),
    topology: optional(
      'Shape of the slice of one instance, on a torus.',
      z.array(count(1e5)).max(7).nullable(),
    ),
    slices: z.exactOptional(count(1e5).describe('Slices of one instance.')),
  })
  .describe(
    'Instances of one phase. Read are `mesh`, `placement`, `layout`, `instances`, `topology` and `slices`, and for prefill also `batchSequences` (prompts in ' +
      'one batch) and `microbatches`; fields that are left out are chosen.',
  )

const fields = {
  disaggregated: z.exactOptional(flag('Whether prefill and generation run on separate chips.')),
  cacheShare,
  generate: z.exactOptional(instance),
  prefill: z.exactOptional(instance),
  maxSequences: optional(
    'Most sequences that one generate instance runs at once, including prompts being read (`--max-num-seqs` of vLLM).',
    count(mostBatchTokens),
  ),
  stepTokens: z.exactOptional(
    orNull(
      'Most tokens in one step of a server that does both phases: one for each generating sequence, and those that are drafted for it, the rest from prompts (`--max-num-batched-tokens` of vLLM).',
      count(mostBatchTokens),
    ),
  ),
  contextLength: optional(
    'Positions that the longest request may have; those of prompt and output, which are means, by default.',
    count(longestSequence),
  ),
} as const

export const serveSketch = z
  .strictObject(withAnswered(fields, servePlan.shape))
  .describe(
    'A deployment from an answer, unchanged, or your own. Fields that are left out, phases and numbers of instances included, are chosen as /optimize would.',
  )

export type ServeSketchRequest = z.output<typeof serveSketch>
