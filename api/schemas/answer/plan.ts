/** A plan as answered. Its type is the domain's own: the compiler holds the two together. */

import { z } from 'zod'
import type { Plan } from '../../../src/plan/plan.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { axisName, mesh, perAxis } from '../given/axis.ts'
import { elementType, movement, passName } from '../names.ts'
import { tokenCost } from './token-cost.ts'
import { againstFirst, uncertainty } from './uncertainty.ts'

const bytes = z.number()
const seconds = z.number()

const placement = z.object({
  axis: axisName,
  on: z.string().describe('`ici`, `dcn`, or the outermost tier that a group spans.'),
  physical: z.array(z.int()),
  wraps: z.boolean(),
  parts: z.exactOptional(z.array(z.object({ physical: z.int(), size: z.int(), stride: z.int() }))),
})

const layout = z.object({
  components: z.record(z.string(), z.string()),
  shardings: z.record(z.string(), z.string()),
  algorithm: z.array(z.string()).describe("The layer's algorithm, a line each."),
})

const timeAccount = z.object({
  compute: seconds,
  hbm: seconds,
  communication: z
    .object(perAxis(seconds))
    .describe('All of it by the axis that it moves over, one collective after another, overlapped or not.'),
  hostTransfer: seconds.describe('Arrays that are kept on the host, there and back, overlapped or not.'),
  pipelineBubble: seconds,
  rematerialization: seconds,
  optimizer: seconds,
  overhead: seconds,
  exposedCommunication: seconds,
})

const memoryAccount = z.object({
  budget: bytes,
  total: bytes,
  parameters: bytes,
  gradients: bytes,
  optimizer: bytes,
  activations: bytes,
  kvCache: bytes,
  workspace: bytes,
  reserve: bytes.describe(
    'What of the budget stays free: reserveFraction of the chip, less what the budget leaves aside.',
  ),
  host: bytes.describe(
    "In the host's memory, not in the total: activations and optimizer states that a plan keeps there.",
  ),
  stage: z.int().describe('The stage that the account is of: the fullest.'),
})

const collectiveLine = z.object({
  op: movement,
  over: z.string(),
  array: z.string(),
  bytes: bytes.describe('The whole array as the group sees it.'),
  count: z.number().describe('Times per step on one chip.'),
  seconds: seconds.describe('Of all of them, per step.'),
  exposed: z.boolean().describe('On the critical path, rather than prefetchable.'),
  pass: passName,
})

const infeasibility = z.object({
  reason: z.string(),
  pointer: z.string(),
  detail: z.string(),
  shortBytes: z.exactOptional(bytes),
})

export const plan = z.object({
  rank: z.int(),
  feasible: z.boolean(),
  infeasible: z.exactOptional(z.array(infeasibility)),
  id: z.string().describe('A stable hash of the plan.'),
  summary: z.string(),
  chips: z.int().describe('Those that the mesh takes.'),
  idleChips: z
    .int()
    .describe('The others that were asked for: figures per chip, MFU and costs count them as well.'),
  mesh,
  placement: z.array(placement),
  layout,
  zeroStage: z.int().min(0).max(3),
  contextLayout: z
    .enum(contextLayouts)
    .nullable()
    .describe('How attention meets keys that are sharded over context; null without that axis.'),
  microbatches: z.number(),
  microbatchTokens: z.number(),
  pipelineSchedule: z.string(),
  virtualStages: z.int(),
  stageLayers: z.array(z.number()),
  stagePartition: z
    .object({
      stageLayers: z.array(z.number()),
      longestStageSeconds: seconds.describe('One microbatch through the longest stage.'),
      evenLongestStageSeconds: seconds.describe("The same of the plan's own stages."),
    })
    .nullable()
    .describe(
      'The exact cut of layers that differ, by the times of each under this plan; null where they are alike, or each stage is in pieces.',
    ),
  rematerialization: z.array(z.object({ policy: z.string(), layers: z.number() })),
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
  stepTimeSeconds: seconds,
  lowerBoundSeconds: seconds.describe('Everything overlaps.'),
  upperBoundSeconds: seconds.describe('Nothing does.'),
  uncertainty,
  againstFirst,
  mfu: z.number().describe('Share of `mfuPeak`.'),
  hfu: z.number().describe('The same of all FLOPs, with those that are computed again.'),
  mfuPeak: z
    .object({ type: elementType, flopsPerSecondPerChip: z.number() })
    .describe('The peak of a chip for the type that matmuls run in.'),
  mfuOfBf16Peak: z
    .number()
    .nullable()
    .describe('The same FLOPs as a share of the bf16 peak: it compares plans in different types.'),
  tokensPerSecond: z.number(),
  tokensPerSecondPerChip: z.number(),
  ...tokenCost,
  paddingFraction: z.number(),
  timeSeconds: timeAccount,
  memoryBytes: memoryAccount,
  bottleneck: z.string(),
  bottleneckDetail: z
    .object({ axis: axisName.nullable(), network: z.string() })
    .nullable()
    .describe(
      'Of communication: the network that is busiest, by its name on this machine (`host` is the link to the host), and the axis it is so for.',
    ),
  headroom: z.object({
    communication: z
      .number()
      .nullable()
      .describe(
        'Time in kernels over the time that the busiest network is busy, as if both ran without a break; null where nothing moves.',
      ),
    memory: z.number().describe('The budget over what is on the fullest chip.'),
    atHalfBandwidth: z
      .object({ network: z.string(), stepTimeSeconds: seconds })
      .nullable()
      .describe('The step of this plan, had its busiest network half of its bandwidth.'),
  }),
  collectives: z.array(collectiveLine),
  explanation: z.array(z.string()),
  launch: z
    .record(z.string(), z.unknown())
    .describe(
      'Flags or configuration, per framework, or why it cannot run the plan (`unsupported`). `commands` has for each that can the ' +
        '`version` that names were checked against, a `command` that a shell runs as it stands on each host, the `files` that it reads, and ' +
        'in training `parallelism`: what lays the model out, apart from what says the model. `notes` are what flags do not say.',
    ),
}) satisfies z.ZodType<Plan>
