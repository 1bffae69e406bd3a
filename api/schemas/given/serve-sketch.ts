/** A deployment that a user wrote, or one copied from an answer. */
import { z } from 'zod'
import type { ServePlan } from '../../../src/plan/inference-plan.ts'
import { unread } from '../answered-field.ts'
import { count, longestSequence, mostBatchTokens } from '../bound.ts'
import { partialMesh } from './axis.ts'
import { known } from './sketch.ts'

const instance = z
  .strictObject({
    ...known,
    mesh: z.exactOptional(partialMesh.describe('Of one instance.')),
    instances: z.exactOptional(count(1e6).describe('How many there are.')),
    topology: z.exactOptional(
      z.array(count(1e5)).max(7).nullable().describe('The slice of one, on a torus.'),
    ),
    slices: z.exactOptional(count(1e5).describe('Slices of one.')),
  })
  .describe(
    'Instances of one phase. `mesh`, `placement`, `layout`, `instances`, `topology` and `slices` are read, and of prefill `batchSequences` (prompts that are ' +
      'taken together) and `microbatches`; what is left out is chosen.',
  )

const fields = {
  disaggregated: z.exactOptional(z.boolean().describe('Whether phases have chips of their own.')),
  generate: z.exactOptional(instance),
  prefill: z.exactOptional(instance),
  maxSequences: z.exactOptional(
    count(mostBatchTokens).describe(
      'Of a generate instance at once, prompts that it reads among them: a server is told so (`--max-num-seqs`).',
    ),
  ),
  stepTokens: z.exactOptional(
    count(mostBatchTokens)
      .nullable()
      .describe(
        'Of a step of a server that does both phases, at most: one of each sequence that generates, the others of prompts (`--max-num-batched-tokens`).',
      ),
  ),
  contextLength: z.exactOptional(
    count(longestSequence).describe(
      'Positions that the longest request may have; those of prompt and output, which are means, by default.',
    ),
  ),
} as const

const answered = {
  rank: unread,
  feasible: unread,
  infeasible: unread,
  id: unread,
  summary: unread,
  chips: unread,
  idleChips: unread,
  ratio: unread,
  requestsPerSecond: unread,
  uncertainty: unread,
  timeToFirstTokenSeconds: unread,
  timePerOutputTokenSeconds: unread,
  requestSeconds: unread,
  costPerMillionTokensUsd: unread,
  costedTokens: unread,
  tokensPerSecondPerChip: unread,
  queueing: unread,
  kvTransfer: unread,
  secondLayout: unread,
  explanation: unread,
  launch: unread,
}

export const serveSketch = z
  .strictObject({ ...fields, ...answered } satisfies Record<keyof ServePlan, z.ZodType>)
  .describe(
    'Any deployment of an answer, as it stands, or your own. What is left out is chosen as /optimize would, phases and numbers of instances too.',
  )

export type ServeSketchRequest = z.output<typeof serveSketch>
