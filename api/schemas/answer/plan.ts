/** A plan in an answer. `satisfies` ties the schema to the domain's type. */
import { z } from 'zod'
import type { Plan } from '../../../src/plan/plan.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { countOrNone } from '../bound.ts'
import { flag, list, number, numberOrNull, object, optional, orNull, text, texts, whole } from '../field.ts'
import { mesh } from '../given/axis.ts'
import { costedWith } from '../given/costed-with.ts'
import { elementType } from '../names.ts'
import { collectiveLine, memoryAccount, timeAccount } from './account.ts'
import { binding } from './binding.ts'
import { launch } from './launch.ts'
import { layout, placement } from './layout.ts'
import { tokenCost } from './token-cost.ts'
import { againstFirst, choice, uncertainty } from './uncertainty.ts'

export const infeasibility = z.object({
  reason: text('`memory`, `hostMemory`, `latency`, or in a deployment `rate`.'),
  pointer: text('JSON pointer to the limit in the request that is exceeded.'),
  detail: text('A sentence that says by how much.'),
  shortBytes: z.exactOptional(number('Bytes by which the fullest chip exceeds the budget.')),
})

export const plan = z.object({
  rank: whole('Position in its list, from 1.'),
  feasible: flag('Whether the plan fits into the memory budget and keeps the limits of the request.'),
  infeasible: optional(
    'The limits that are exceeded; only where `feasible` is false.',
    z.array(infeasibility),
  ),
  id: text('A hash of the plan, the same in every answer.'),
  summary: text('The plan in one line: the mesh axes larger than 1, and the other choices.'),
  chips: whole('Chips that the mesh uses.'),
  idleChips: whole(
    'Chips that were asked for and stay idle. Figures per chip, MFU and costs count them as well.',
  ),
  mesh,
  placement: z.array(placement).describe('Where each mesh axis larger than 1 is placed on the network.'),
  layout: layout.describe('How the arrays of a layer are sharded, and what is communicated.'),
  zeroStage: countOrNone(3).describe(
    'ZeRO stage, what replicas shard: 0 nothing, 1 optimizer states, 2 also gradients, 3 also weights (FSDP).',
  ),
  contextLayout: orNull(
    'How attention reaches keys that are sharded over `context`: `gather`, `ring` or `ulysses`; null where that axis is 1.',
    z.enum(contextLayouts),
  ),
  microbatches: number(
    'Microbatches per replica and step, which run one after another; in inference, the groups of sequences that go through the pipeline stages.',
  ),
  microbatchTokens: number('Tokens of one microbatch on one replica; in inference over all replicas.'),
  pipelineSchedule: text(
    'The pipeline schedule, in which order the stages run microbatches; `none` without a pipeline.',
  ),
  virtualStages: whole(
    'Virtual stages (model chunks) per pipeline stage, for interleaved schedules; 1 without interleaving.',
  ),
  stageLayers: z.array(z.number()).describe('Number of layers of each pipeline stage.'),
  stagePartition: orNull(
    'The best assignment of unlike layers to stages, from the time of each layer under this plan. Null where the layers are alike, there is one stage, or stages have several virtual stages.',
    z.object({
      stageLayers: z.array(z.number()).describe('Number of layers of each pipeline stage.'),
      longestStageSeconds: number('Time of one microbatch in the longest stage.'),
      evenLongestStageSeconds: number("The same time with the plan's own stages."),
    }),
  ),
  rematerialization: list(
    'Rematerialisation policies and how many layers use each: at most two.',
    z.object({
      policy: text('Name of the policy, which says what a layer keeps for its backward pass.'),
      layers: number('Number of layers that use it.'),
    }),
  ),
  costedWith,
  memoryPolicy: orNull(
    'How good the choice of rematerialisation is. Null where every activation is kept on the chip or some are kept on the host, or the plan does not fit.',
    z.object({
      provenBest: orNull(
        'True if it is proven that no other mix of two policies is faster on this layout; null below rank 1.',
        z.boolean(),
      ),
      relaxedStepTimeSeconds: number(
        'Lower bound of the step time: any mix of policies, with fractions of layers allowed.',
      ),
      secondsPerByte: number('Seconds that one more byte of memory budget per chip would save per step.'),
    }),
  ),
  stepTimeSeconds: number(
    'Predicted time of one step: in training one global batch, in prefill all prompts, in generation one token for each sequence.',
  ),
  lowerBoundSeconds: number(
    'The lower of both `uncertainty.nineOfTenSeconds` and `overlapSeconds`; nine of ten measured runs lay between the two bounds.',
  ),
  upperBoundSeconds: number('The upper of both `uncertainty.nineOfTenSeconds` and `overlapSeconds`.'),
  overlapSeconds: z
    .tuple([z.number(), z.number()])
    .readonly()
    .describe(
      'Step time if all communication that can be hidden were hidden, and if none were, with all else as predicted.',
    ),
  uncertainty,
  againstFirst,
  choice,
  mfu: number('Model FLOPs utilisation: model FLOPs per second as a fraction (0 to 1) of `mfuPeak`.'),
  hfu: number('Hardware FLOPs utilisation: as `mfu`, with the recomputed FLOPs included.'),
  mfuPeak: object(
    'The peak that `mfu` and `hfu` are fractions of: that of the element type in which matmuls run.',
    {
      type: elementType.describe('Element type of the matmuls.'),
      flopsPerSecondPerChip: number('Peak FLOP/s of one chip for that type.'),
    },
  ),
  mfuOfBf16Peak: numberOrNull(
    'Model FLOPs per second as a fraction of the bf16 peak, to compare plans in different types; null where the chip has no bf16 peak.',
  ),
  tokensPerSecond: number('Tokens of a step divided by its time.'),
  tokensPerSecondPerChip: number('`tokensPerSecond` divided by all chips that were asked for.'),
  ...tokenCost,
  globalBatchSequences: number(
    'Sequences that one step runs: more than were asked for where replicas times microbatches do not divide the batch. In training `launch` has this batch.',
  ),
  paddingFraction: number(
    'Fraction of the computation that is padding, added so that the batch divides evenly.',
  ),
  timeSeconds: timeAccount.describe(
    'Where the time of a step goes: `compute`, `hbm`, `rematerialization`, `exposedCommunication`, `pipelineBubble`, `optimizer` and `overhead` add up to `stepTimeSeconds`.',
  ),
  memoryBytes: memoryAccount.describe('Memory of the fullest chip.'),
  ...binding,
  collectives: z.array(collectiveLine).describe('All collectives of one step.'),
  explanation: texts('Sentences that say where the time goes and what fills the memory.'),
  launch: launch.describe(
    'Per framework: its flags or configuration, or why it cannot run the plan (`unsupported`; those of the reasons that only say that no flags are written for it are in `unwritten`, too).',
  ),
}) satisfies z.ZodType<Plan>
