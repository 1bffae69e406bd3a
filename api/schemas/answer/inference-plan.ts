/** A plan of prefill or generation: the fields of all plans, and those of inference. */
import { z } from 'zod'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import { flag, number, object, optional, orNull } from '../field.ts'
import { plan } from './plan.ts'

const speculation = object('Speed of this plan with speculative decoding.', {
  draftTokens: number('Tokens drafted per step; 0 where generation without drafts is fastest.'),
  draftSeconds: number('Time to draft one token.'),
  expectedTokensPerStep: number('Tokens that a step is expected to add to a sequence.'),
  stepSeconds: number('Time to draft the tokens and to verify them in one step.'),
  secondsPerToken: number('`stepSeconds` divided by `expectedTokensPerStep`.'),
  speedup: number('Speed relative to generation without drafts; below 1 drafting is slower.'),
})

export const inferencePlan = z.object({
  ...plan.shape,
  batchSequences: number('Sequences that run at once, over all replicas and pipeline stages.'),
  tokensPerSecondPerUser: number(
    'Tokens per second of one sequence: its tokens per step divided by the step time.',
  ),
  floorSeconds: number(
    'Lower bound for these chips: the time to read weights and caches once with the bandwidth of all HBM, or to do the FLOPs at peak, whichever is longer.',
  ),
  streaming: object('Parts of the step, each as if it ran alone.', {
    weightsSeconds: number('Time to read the weights from HBM.'),
    kvCacheSeconds: number('Time to read and write the KV cache in HBM.'),
    activationsSeconds: number('Time to read and write activations in HBM.'),
    arithmeticSeconds: number('Time of the arithmetic, at the rates that kernels reach.'),
  }),
  reshardingSeconds: number('Time to move activations between components that are laid out differently.'),
  layoutProvenBest: orNull(
    'True if it is proven that no other layouts of the components are faster on this mesh and placement; null if that is not proven.',
    z.boolean(),
  ),
  redundantExperts: number(
    'Copies of experts, beyond one of each, on the chips that the experts are spread over.',
  ),
  twoBatchOverlap: flag(
    'Whether one half of the batch computes while the tokens of the other half travel to their experts and back.',
  ),
  maxBatchSequences: optional(
    'Only for generation: the most sequences that fit with these layouts.',
    z.number(),
  ),
  criticalBatchTokens: optional(
    'Only for generation: the tokens per step from which the arithmetic takes longer than reading the weights.',
    z.number(),
  ),
  timeToFirstTokenSeconds: optional(
    'Only for prefill: time until the last prompt has its first token.',
    z.number(),
  ),
  speculation: z.exactOptional(speculation),
}) satisfies z.ZodType<InferencePlan>
