/** Why Megatron-LM cannot run a plan. Source: as flags.ts, and megatron/core/optimizer/distrib_optimizer.py. */

import { isAmd } from '../../hardware/vendor.ts'
import { scheduleRow } from '../../recipe/schedule.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import { expertRanks } from '../run/experts.ts'
import { pipelineRank } from '../run/rank-order.ts'
import {
  attendsLocally,
  blockRule,
  commonRules,
  interleavingRule,
  isMixed,
  mixedTypesRule,
  positionRule,
  type RunRules,
  switchedRule,
  wholeLossRule,
  widthRules,
} from '../run/rules.ts'
import type { MeshRun } from '../run/run.ts'
import { recurrentVariants } from './attention.ts'
import { deepEpGroupsRule, domainsRule } from './domains.ts'
import { fp8Recipe, scaledAtHand, tensorwise } from './fp8-recipe.ts'
import { hybridConvolution, patternLetters } from './hybrid.ts'
import { areNarrow, mayKeepRemainders, megatronMoments, megatronPlaced } from './moments.ts'
import { isFourBits, narrowTypes } from './narrow-types.ts'
import { countsNarrow } from './narrow-weights.ts'
import { megatronRecomputation } from './recomputation.ts'
import { megatronOptimizers, megatronSharded, megatronSharding } from './states.ts'
import { megatronVersion } from './version.ts'

const schedules: readonly ScheduleName[] = ['none', '1f1b', 'interleaved-1f1b']

/** Reasons for schedules that it replaces by a similar one. */
const others: Readonly<Partial<Record<ScheduleName, string>>> = {
  gpipe: 'Megatron-LM runs 1F1B, not GPipe',
}

export const megatronRules: RunRules = {
  mesh: [
    ...commonRules.mesh,
    {
      broken: ({ mesh }) => mesh.tensor2 > 1,
      says: 'Megatron-LM has one tensor axis; tensor2 shards D over a second',
    },
    {
      broken: (run) => run.sequenceLength % sequenceParts(run) !== 0,
      says: (run) => `${sequenceParts(run)} does not divide the sequence length ${run.sequenceLength}`,
    },
    switchedRule('Megatron-LM'),
    wholeLossRule('Megatron-LM'),
    blockRule('Megatron-LM'),
    {
      broken: ({ model }) => model.attention.compressed !== undefined || model.residualStreams !== undefined,
      says: `Megatron-LM ${megatronVersion} has no attention to pooled positions beside several residual streams: recipes of Megatron-Bridge's main branch do (deepseek_v4_flash_pretrain_128gpu_gb200_fp8mx_config, and _64gpu_gb200_bf16_config)`,
    },
    {
      broken: ({ model }) => model.attention.latent !== null && model.attention.window !== null,
      says: 'windows of latent attention are not mapped to Megatron-LM',
    },
    {
      broken: ({ model: { recurrence, layerPattern } }) =>
        recurrence !== undefined &&
        layerPattern === undefined &&
        (!(recurrence.mixer in recurrentVariants) || recurrence.lastAttends === true),
      says: ({ model }) => `Megatron-LM has no layers of ${model.recurrence?.mixer} among those that attend`,
    },
    {
      broken: ({ model: { recurrence, layerPattern } }) =>
        recurrence !== undefined &&
        layerPattern !== undefined &&
        (!(recurrence.mixer in patternLetters) || recurrence.convolution !== hybridConvolution),
      says: ({ model: { recurrence } }) =>
        `layers of ${recurrence?.mixer} with convolutions of ${recurrence?.convolution} in a pattern of layers are not mapped to Megatron-LM`,
    },
    {
      broken: ({ model: { layerPattern, attention } }) =>
        layerPattern !== undefined && (attention.latent !== null || attention.outputGate === true),
      says: 'latent attention, and gates of attention, in a pattern of layers are not mapped to Megatron-LM',
    },
    positionRule,
    {
      broken: ({ problem }) => !(problem.workload.optimizer in megatronOptimizers),
      says: ({ problem }) => `the optimizer ${problem.workload.optimizer} is not mapped to Megatron-LM's`,
    },
    ...widthRules,
    {
      broken: (run) => run.model.experts !== null && run.model.biases === true && expertRanks(run).tensor > 1,
      says: 'Megatron-LM has biases in experts only where tensor does not slice these (expertTensor whole)',
    },
    domainsRule,
    deepEpGroupsRule,
    mixedTypesRule('Megatron-LM', narrowTypes),
    {
      broken: ({ problem: { precision, cluster } }) => isFourBits(precision.compute) && isAmd(cluster.chip),
      says: 'Megatron-LM multiplies in NVFP4 on GPUs of NVIDIA',
    },
    {
      broken: ({ problem: { precision } }) =>
        precision.gradients !== 'fp32' &&
        !(isMixed(precision, narrowTypes) && precision.gradients === 'bf16'),
      says: ({ problem }) => `gradients in ${problem.precision.gradients} are not mapped to Megatron-LM`,
    },
    {
      broken: ({ problem: { precision } }) => !megatronMoments.includes(precision.optimizer),
      says: ({ problem }) =>
        `Megatron-LM keeps the moments of Adam in ${megatronMoments.join(', ')}, not in ${problem.precision.optimizer}`,
    },
    {
      broken: ({ problem: { precision, workload, assumptions } }) =>
        areNarrow(precision.optimizer) &&
        (assumptions.optimizerOnHost || !megatronPlaced.includes(workload.optimizer)),
      says: ({ problem }) =>
        `Megatron-LM keeps only the moments of Adam in ${problem.precision.optimizer}, and these on the chips`,
    },
    {
      broken: ({ problem }) => problem.assumptions.masterRemainders && !mayKeepRemainders(problem),
      says: 'Megatron-LM keeps remainders of master weights only for Adam on the chips and weights in bf16, not in mxfp8',
    },
  ],
  layout: [
    ...commonRules.layout,
    {
      broken: ({ schedule }) => schedule.name in others,
      says: ({ schedule }) => others[schedule.name] ?? '',
    },
    {
      broken: ({ schedule }) => scheduleRow(schedule).split !== null,
      says: ({ schedule }) => `Megatron-LM runs each backward pass in one piece, ${schedule.name} in two`,
    },
    {
      broken: ({ schedule }) => !schedules.includes(schedule.name) && !(schedule.name in others),
      says: ({ schedule }) => `the schedule ${schedule.name} is not mapped to Megatron-LM's`,
    },
    interleavingRule,
    {
      broken: ({ mesh, zeroStage }) => mesh.pipeline > 1 && megatronSharding[zeroStage] !== null,
      says: 'Megatron-FSDP does not go with a pipeline',
    },
    {
      broken: ({ problem: { assumptions, workload }, zeroStage }) =>
        assumptions.optimizerOnHost && (zeroStage !== 1 || !megatronPlaced.includes(workload.optimizer)),
      says: "Megatron-LM keeps only its distributed optimizer's states of Adam on the host (ZeRO-1)",
    },
    {
      broken: ({ problem, zeroStage }) => areNarrow(problem.precision.optimizer) && zeroStage === 0,
      says: ({ problem }) =>
        `Megatron-LM keeps moments in ${problem.precision.optimizer} only in its distributed optimizer (ZeRO-1 and up)`,
    },
    {
      broken: ({ problem, zeroStage }) => problem.assumptions.masterRemainders && zeroStage !== 1,
      says: 'Megatron-LM keeps remainders of master weights only in its distributed optimizer (ZeRO-1)',
    },
    {
      broken: (run) =>
        contextLayoutRow(run.contextLayout).keys === 'own' && run.mesh.context > 1 && attendsLocally(run),
      says: 'Transformer Engine has no windows in a ring',
    },
    {
      broken: (run) =>
        contextLayoutRow(run.contextLayout).keys !== 'exchanged' &&
        run.mesh.context > 1 &&
        run.model.details?.sinks === true,
      says: 'Transformer Engine has attention sinks over context only where heads are exchanged for positions (ulysses, cp_comm_type a2a)',
    },
    {
      broken: (run) =>
        contextLayoutRow(run.contextLayout).keys !== 'whole' &&
        run.mesh.context > 1 &&
        run.model.attention.index !== null,
      says: 'Megatron-LM gathers keys over context where an index chooses positions (cp_comm_type allgather)',
    },
    {
      broken: ({ problem, zeroStage }) =>
        zeroStage > 0 && !megatronSharded[problem.workload.optimizer]?.includes(zeroStage),
      says: ({ problem: { workload }, zeroStage }) =>
        `Megatron-LM does not shard the states of ${workload.optimizer} in ZeRO-${zeroStage}`,
    },
  ],
  cut: commonRules.cut,
  plan: [
    ...commonRules.plan,
    {
      broken: (run) => run.mesh.context * run.mesh.expert > 1 && pipelineRank(run) === 'inside',
      says: 'Megatron-LM puts the pipeline inside of the replicas only without context and expert',
    },
    {
      broken: (run) => megatronRecomputation(run) === null,
      says: 'Megatron-LM recomputes the same modules of every layer, or whole layers, the same number in each chunk',
    },
    {
      broken: (run) => {
        const { masterRemainders, optimizerOnHost } = run.problem.assumptions
        const needsDelayed = masterRemainders || (optimizerOnHost && countsNarrow(run))
        return needsDelayed && fp8Recipe(run) === tensorwise
      },
      says: `Megatron-LM keeps remainders of master weights, and weights in fp8 beside states on the host, with delayed scaling alone, with which it does not recompute ${scaledAtHand.join(' or ')}`,
    },
  ],
}

/** Parts into which a sequence has to divide: each chip of the context axis has two, and sequence parallelism divides each of them. */
function sequenceParts({ mesh: { context, tensor } }: MeshRun): number {
  return (context > 1 ? 2 * context : 1) * tensor
}
