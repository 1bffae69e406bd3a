/** A plan of prefill or generation: the fields of all plans, and those of inference. */
import { z } from 'zod'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import { plan } from './plan.ts'

const seconds = z.number()

const speculation = z
  .object({
    draftTokens: z.number().describe('Drafted per step; 0 where no draft is best.'),
    expectedTokensPerStep: z.number().describe('Tokens that a step is expected to add to a sequence.'),
    stepSeconds: seconds.describe('Drafting and checking, once.'),
    secondsPerToken: seconds.describe('A step over the tokens expected of it.'),
    speedup: z.number().describe('Over generation without drafts; below 1 it hurts.'),
  })
  .describe('What speculative decoding makes of it.')

export const inferencePlan = z.object({
  ...plan.shape,
  batchSequences: z.number().describe('Sequences resident at once, over all replicas and stages.'),
  tokensPerSecondPerUser: z.number().describe('Tokens of one sequence over the time of a step.'),
  floorSeconds: seconds.describe(
    'No plan on these chips is faster: weights and caches once over all HBM, or the FLOPs at peak.',
  ),
  streaming: z
    .object({
      weightsSeconds: seconds.describe('Weights through HBM.'),
      kvCacheSeconds: seconds.describe('Caches through HBM.'),
      activationsSeconds: seconds.describe('Activations through HBM.'),
      arithmeticSeconds: seconds.describe('FLOPs, as kernels reach them.'),
    })
    .describe('Parts of the step, each as if alone.'),
  reshardingSeconds: seconds.describe('Between components that are laid out differently.'),
  layoutProvenBest: z
    .boolean()
    .nullable()
    .describe(
      'No other layouts of the components are faster on this mesh and placement; null if not proven.',
    ),
  redundantExperts: z
    .number()
    .describe('Copies of experts, beyond one of each, on the chips that share them out.'),
  twoBatchOverlap: z
    .boolean()
    .describe("One half of the batch computes while the other's tokens are on their way to experts or back."),
  maxBatchSequences: z.exactOptional(z.number().describe('Generation: that fit under these layouts.')),
  criticalBatchTokens: z.exactOptional(
    z
      .number()
      .describe('Generation: tokens of a step from which arithmetic outlasts the streaming of weights.'),
  ),
  timeToFirstTokenSeconds: z.exactOptional(seconds.describe('Prefill: of the last prompt.')),
  speculation: z.exactOptional(speculation),
}) satisfies z.ZodType<InferencePlan>
