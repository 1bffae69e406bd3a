/** A plan in an answer. `satisfies` ties the schema to the domain's type. */

import { z } from 'zod'
import type { Plan } from '../../../src/plan/plan.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { axisName, mesh, perAxis } from '../given/axis.ts'
import { elementType, movement, passName } from '../names.ts'
import { tokenCost } from './token-cost.ts'
import { againstFirst, choice, uncertainty } from './uncertainty.ts'

const bytes = z.number()
const seconds = z.number()

const placement = z.object({
  axis: axisName.describe('The mesh axis that lies there.'),
  on: z.string().describe('`ici`, `dcn`, or the outermost tier that a group spans.'),
  physical: z
    .array(z.int())
    .describe(
      'Physical axes of the torus that carry it, by index; behind switches the tiers that a group spans, innermost 0.',
    ),
  wraps: z.boolean().describe('Whether its rings close.'),
  parts: z.exactOptional(
    z
      .array(
        z.object({
          physical: z.int().describe('The physical axis, by index.'),
          size: z.int().describe('Chips of it in one group.'),
          stride: z.int().describe('Between neighbours of a group.'),
        }),
      )
      .describe('On a torus: what of each physical axis belongs to one group.'),
  ),
})

const layout = z.object({
  components: z
    .record(z.string(), z.string())
    .describe('The layout of each component of a layer, by its name.'),
  shardings: z
    .record(z.string(), z.string())
    .describe(
      'How each array lies, by its name: `[B_X, D_Y]` has sequences over the chips of axis X and D over those of Y.',
    ),
  algorithm: z.array(z.string()).describe("The layer's algorithm, a line each."),
})

const timeAccount = z.object({
  compute: seconds.describe('Kernels while they do arithmetic.'),
  hbm: seconds.describe('Kernels while they wait for memory.'),
  communication: z
    .object(perAxis(seconds))
    .describe('All of it by the axis that it moves over, one collective after another, overlapped or not.'),
  hostTransfer: seconds.describe('Arrays that are kept on the host, there and back, overlapped or not.'),
  pipelineBubble: seconds.describe('Stages waiting for each other.'),
  rematerialization: seconds.describe('Kernels that compute activations again.'),
  optimizer: seconds.describe('The update of the weights.'),
  overhead: seconds.describe('What software takes beside: starting kernels, a step, a layer.'),
  exposedCommunication: seconds.describe('Communication that nothing hides.'),
})

const memoryAccount = z.object({
  budget: bytes.describe('What a chip may hold.'),
  total: bytes.describe('What the fullest chip holds, the reserve included.'),
  parameters: bytes.describe('Weights, as kept.'),
  gradients: bytes.describe('Gradients, as accumulated.'),
  optimizer: bytes.describe('Moments and master weights.'),
  activations: bytes.describe('What the backward pass needs and is kept for it; of inference, of the pass.'),
  kvCache: bytes.describe('Keys and values of resident sequences.'),
  workspace: bytes.describe("One layer's live tensors and gathered weights, or the logits."),
  reserve: bytes.describe(
    'What of the budget stays free: reserveFraction of the chip, less what the budget leaves aside.',
  ),
  host: bytes.describe(
    "In the host's memory, not in the total: activations and optimizer states that a plan keeps there.",
  ),
  stage: z.int().describe('The stage that the account is of: the fullest.'),
})

const collectiveLine = z.object({
  op: movement.describe('What runs.'),
  over: z.string().describe('The mesh axes of its group, as `fsdp x context`.'),
  array: z.string().describe('What it moves, in the notation of shardings.'),
  bytes: bytes.describe('The whole array as the group sees it.'),
  count: z.number().describe('Times per step on one chip.'),
  seconds: seconds.describe('Of all of them, per step.'),
  exposed: z.boolean().describe('On the critical path, rather than prefetchable.'),
  pass: passName.describe('When in a step: with each forward or backward pass, or once.'),
})

export const infeasibility = z.object({
  reason: z.string().describe('`memory` or `latency`.'),
  pointer: z.string().describe('What of the request it is over.'),
  detail: z.string().describe('By how much, in words.'),
  shortBytes: z.exactOptional(bytes.describe('Bytes that the fullest chip has too few.')),
})

export const plan = z.object({
  rank: z.int().describe('In its list, from 1.'),
  feasible: z
    .boolean()
    .describe('Whether it fits into the memory budget and keeps the limits of the request.'),
  infeasible: z.exactOptional(z.array(infeasibility).describe('What it does not keep, where it does not.')),
  id: z.string().describe('A stable hash of the plan.'),
  summary: z.string().describe('The plan in a line: axes that are more than 1, and what else was chosen.'),
  chips: z.int().describe('Those that the mesh takes.'),
  idleChips: z
    .int()
    .describe('The others that were asked for: figures per chip, MFU and costs count them as well.'),
  mesh,
  placement: z.array(placement).describe('Where on the network each axis lies that is more than 1.'),
  layout: layout.describe('How the arrays of a layer lie, and what moves.'),
  zeroStage: z
    .int()
    .min(0)
    .max(3)
    .describe('What replicas share out: 1 optimizer states, 2 gradients too, 3 weights too; 0 nothing.'),
  contextLayout: z
    .enum(contextLayouts)
    .nullable()
    .describe('How attention meets keys that are sharded over context; null without that axis.'),
  microbatches: z
    .number()
    .describe(
      "Parts of a replica's share of the batch, one after another; of inference, groups that go through the stages.",
    ),
  microbatchTokens: z.number().describe('Tokens of one of them on one replica; of inference over all.'),
  pipelineSchedule: z.string().describe('In which order stages run microbatches; `none` without a pipeline.'),
  virtualStages: z
    .int()
    .describe('Parts of the layers that each stage has, one behind the other (interleaving).'),
  stageLayers: z.array(z.number()).describe('Layers of each stage.'),
  stagePartition: z
    .object({
      stageLayers: z.array(z.number()).describe('Layers of each stage.'),
      longestStageSeconds: seconds.describe('One microbatch through the longest stage.'),
      evenLongestStageSeconds: seconds.describe("The same of the plan's own stages."),
    })
    .nullable()
    .describe(
      'The exact cut of layers that differ, by the times of each under this plan; null where they are alike, or each stage is in pieces.',
    ),
  rematerialization: z
    .array(
      z.object({
        policy: z.string().describe('What a layer keeps for its backward pass, by the name of the policy.'),
        layers: z.number().describe('How many layers do.'),
      }),
    )
    .describe('What is computed again, by layers: at most two policies.'),
  memoryPolicy: z
    .object({
      provenBest: z
        .boolean()
        .nullable()
        .describe('No other mix of two policies is faster on this layout; null below rank 1.'),
      relaxedStepTimeSeconds: z
        .number()
        .describe('What layers in real numbers, of any policies, would reach.'),
      secondsPerByte: z.number().describe('What one more byte of budget per chip would take off the step.'),
    })
    .nullable()
    .describe('Null where everything is kept.'),
  stepTimeSeconds: seconds.describe(
    'What a step is predicted to take; of prefill all prompts, of generation a token of each sequence.',
  ),
  lowerBoundSeconds: seconds.describe('Everything overlaps.'),
  upperBoundSeconds: seconds.describe('Nothing does.'),
  uncertainty,
  againstFirst,
  choice,
  mfu: z.number().describe('Share of `mfuPeak`.'),
  hfu: z.number().describe('The same of all FLOPs, with those that are computed again.'),
  mfuPeak: z
    .object({
      type: elementType.describe('The type.'),
      flopsPerSecondPerChip: z.number().describe('FLOP/s of one chip.'),
    })
    .describe('The peak of a chip for the type that matmuls run in.'),
  mfuOfBf16Peak: z
    .number()
    .nullable()
    .describe('The same FLOPs as a share of the bf16 peak: it compares plans in different types.'),
  tokensPerSecond: z.number().describe('Tokens of a step over its time.'),
  tokensPerSecondPerChip: z.number().describe('The same over all chips that were asked for.'),
  ...tokenCost,
  globalBatchSequences: z
    .number()
    .describe(
      'Sequences that a step runs: more than were asked for where replicas and microbatches do not divide these. In training it is the batch of `launch`.',
    ),
  paddingFraction: z
    .number()
    .describe('Of what is computed the share that is padding, so that the batch divides evenly.'),
  timeSeconds: timeAccount.describe(
    'Where the step goes: compute, hbm, rematerialization, exposedCommunication, pipelineBubble, optimizer and overhead add up to it.',
  ),
  memoryBytes: memoryAccount.describe('What is on the fullest chip.'),
  bottleneck: z
    .string()
    .describe(
      'What it is bound by: `compute`, `hbm`, `communication`, `pipelineBubble`, `overhead` or `optimizer`.',
    ),
  bottleneckDetail: z
    .object({
      axis: axisName.nullable().describe('The mesh axis; null of what is no axis of its own.'),
      network: z.string().describe('The part of the network.'),
    })
    .nullable()
    .describe(
      'Of communication: the network that is busiest, by its name on this machine (`host` is the link to the host), and the axis it is so for.',
    ),
  headroom: z
    .object({
      communication: z
        .number()
        .nullable()
        .describe(
          'Time in kernels over the time that the busiest network is busy, as if both ran without a break; null where nothing moves.',
        ),
      memory: z.number().describe('The budget over what is on the fullest chip.'),
      atHalfBandwidth: z
        .object({
          network: z.string().describe('The busiest network.'),
          stepTimeSeconds: seconds.describe('The step with half of its bandwidth.'),
        })
        .nullable()
        .describe('The step of this plan, had its busiest network half of its bandwidth.'),
      robustness: z
        .object({
          networks: z.number().describe('Of the bandwidth of every network, what there is.'),
          stepTimeSeconds: seconds.describe('The step of this plan then.'),
          memory: z.number().describe('Of what is on the fullest chip, how many times as much.'),
          fits: z.boolean().describe('Whether the plan fits then.'),
        })
        .describe('The same plan on slower networks, and if it takes more memory than is counted.'),
    })
    .describe('How far it is from being bound by something else.'),
  collectives: z.array(collectiveLine).describe('Every collective that runs in a step.'),
  explanation: z
    .array(z.string())
    .describe('Why it takes as long as it does and what fills its memory, in sentences.'),
  launch: z
    .record(z.string(), z.unknown())
    .describe(
      'Flags or configuration, per framework, or why it cannot run the plan (`unsupported`). `commands` has for each that can the ' +
        '`version` that names were checked against, a `command` that a shell runs as it stands on each host, the `files` that it reads, and ' +
        'in training `parallelism`: what lays the model out, apart from what says the model. `notes` are what flags do not say. ' +
        '`stepTimeSeconds` has the step as each framework that can launch the plan runs it, where the request names no stack: plans are ranked as one of them does.',
    ),
}) satisfies z.ZodType<Plan>
