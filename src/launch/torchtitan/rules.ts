/** Why torchtitan cannot run a plan. Source: as config.ts. */

import type { Precision } from '../../problem.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import { pipelineRank } from '../run/rank-order.ts'
import {
  attendsLocally,
  commonRules,
  interleavingRule,
  mixedTypesRule,
  type RunRules,
  switchedRule,
  wholeLossRule,
  wholeMastersRule,
  widthRules,
} from '../run/rules.ts'
import { usesFsdp } from './degrees.ts'
import { otherThanFlavors, torchtitanFlavor } from './flavor.ts'
import { furtherLayersRules } from './further-layers.ts'
import { otherSchedules, torchtitanSchedules, wholeStages } from './pipeline.ts'
import { policiesApart, torchtitanRecomputation } from './recomputation.ts'
import { isOnMainAlone, recurrenceRules } from './recurrence.ts'

/** PyTorch keeps the weights of at most this many chunks of an interleaved stage gathered. */
const gatheredChunks = 3

export const torchtitanOptimizers: Readonly<Partial<Record<OptimizerName, string>>> = { adamw: 'AdamW' }

/** DistMuon (version.ts, models/kimi_k2_7/config_registry.py). */
const onMainAlone: readonly OptimizerName[] = ['muon']

export const torchtitanRules: RunRules = {
  mesh: [
    ...commonRules.mesh,
    {
      broken: ({ mesh }) => mesh.tensor2 > 1,
      says: 'torchtitan has one tensor axis; tensor2 shards D over a second',
    },
    {
      broken: ({ model, mesh }) => model.kvHeads % mesh.tensor !== 0,
      says: ({ model, mesh }) =>
        `torchtitan does not replicate ${model.kvHeads} key-value heads over tensor ${mesh.tensor}`,
    },
    {
      broken: ({ model, mesh }) => model.vocab % mesh.tensor !== 0,
      says: ({ model, mesh }) => `tensor ${mesh.tensor} does not divide the vocabulary ${model.vocab}`,
    },
    {
      broken: ({ mesh, sequenceLength }) => sequenceLength % (2 * mesh.context * mesh.tensor) !== 0,
      says: ({ mesh, sequenceLength }) =>
        `${2 * mesh.context * mesh.tensor} does not divide the sequence length ${sequenceLength}`,
    },
    switchedRule('torchtitan'),
    wholeLossRule('torchtitan'),
    ...widthRules,
    {
      broken: ({ model, problem }) => model.experts !== null && problem.precision.compute === 'fp8',
      says: "torchtitan's experts in fp8 are a prototype that is not mapped",
      unwritten: true,
    },
    { broken: attendsLocally, says: 'windows are not mapped to torchtitan', unwritten: true },
    ...recurrenceRules,
    {
      broken: ({ model }) => model.attention.compressed !== undefined || model.residualStreams !== undefined,
      says: 'torchtitan has no attention to pooled positions, nor several residual streams',
    },
    {
      broken: ({ model }) => model.layerPattern !== undefined || model.experts?.latentWidth !== undefined,
      says: 'torchtitan has no layers of one block, nor experts of a width of their own',
    },
    ...furtherLayersRules,
    {
      broken: (run) => torchtitanFlavor(run) === null && !isOnMainAlone(run.model),
      says: ({ model }) =>
        model.experts || model.attention.latent
          ? 'torchtitan has no model with these experts and this attention'
          : `torchtitan has no model of this kind: ${otherThanFlavors(model).join('; ')}`,
    },
    {
      broken: (run) => run.mesh.pipeline > 1 && torchtitanFlavor(run)?.pipelines === false,
      says: (run) =>
        `torchtitan's ${torchtitanFlavor(run)?.model.name} has a pipeline on main alone, for which none is written`,
      unwritten: true,
    },
    mixedTypesRule('torchtitan'),
    {
      broken: ({ problem }) => problem.assumptions.optimizerOnHost,
      says: 'torchtitan moves weights and gradients to the host too (enable_cpu_offload), not optimizer states alone',
    },
    wholeMastersRule('torchtitan'),
    {
      broken: ({ problem: { precision } }) => !trainedIn(['fp32', 'bf16'], precision),
      says: ({ problem: { precision } }) =>
        `torchtitan keeps gradients and states in fp32 or bf16, not in ${precision.gradients} and ${precision.optimizer}`,
    },
    {
      broken: ({ problem: { precision } }) =>
        !trainedIn(['fp32'], precision) && trainedIn(['fp32', 'bf16'], precision),
      says: 'gradients or states in bf16 (training.dtype, mixed_precision_reduce) are not mapped to torchtitan',
      unwritten: true,
    },
    {
      broken: ({ problem: { workload } }) =>
        !(workload.optimizer in torchtitanOptimizers) && !onMainAlone.includes(workload.optimizer),
      says: ({ problem }) => `the optimizer ${problem.workload.optimizer} is not torchtitan's`,
    },
    {
      broken: ({ problem }) => onMainAlone.includes(problem.workload.optimizer),
      says: ({ problem }) =>
        `the optimizer ${problem.workload.optimizer} is on torchtitan's main alone, where a config in Python picks its matrices: it is not written`,
      unwritten: true,
    },
  ],
  layout: [
    ...commonRules.layout,
    {
      broken: ({ mesh, contextLayout }) =>
        mesh.context > 1 && contextLayoutRow(contextLayout).keys === 'exchanged',
      says: 'torchtitan has no ulysses',
    },
    {
      broken: ({ mesh, zeroStage }) => zeroStage === 0 && mesh.context > 1,
      says: 'torchtitan shards weights over context; ZeRO-0 keeps them whole',
    },
    {
      broken: ({ zeroStage, replicas, problem }) =>
        zeroStage === 0 && replicas > 1 && replicas !== problem.cluster.chips,
      says: 'torchtitan keeps whole copies (DDP) only without any other parallelism',
    },
    {
      broken: ({ mesh, zeroStage, microbatches }) =>
        (zeroStage === 1 || zeroStage === 2) && mesh.pipeline === 1 && microbatches > 1,
      says: ({ zeroStage }) =>
        `torchtitan gathers weights every microbatch, not once a step as ZeRO-${zeroStage} does`,
    },
    {
      broken: ({ zeroStage, schedule }) => zeroStage === 1 && schedule.virtualStages > gatheredChunks,
      says: `PyTorch keeps the weights of ${gatheredChunks} chunks of an interleaved stage gathered, not of all`,
    },
    {
      broken: ({ mesh, zeroStage }) => zeroStage > 1 && mesh.pipeline > 1,
      says: ({ zeroStage }) =>
        `PyTorch's pipeline keeps whole weights and gradients until the last microbatch; ZeRO-${zeroStage} does not`,
    },
    {
      broken: ({ mesh, zeroStage }) => zeroStage === 0 && mesh.expert > 1,
      says: 'torchtitan takes the ranks of experts from those that shard weights; ZeRO-0 has none',
    },
    {
      broken: ({ schedule }) => schedule.name in otherSchedules,
      says: ({ schedule }) => otherSchedules[schedule.name] ?? '',
    },
    {
      broken: ({ mesh, schedule }) => mesh.pipeline > 1 && !(schedule.name in torchtitanSchedules),
      says: ({ schedule }) => `the schedule ${schedule.name} is not mapped to torchtitan's`,
      unwritten: true,
    },
    {
      broken: ({ mesh, schedule, microbatches }) =>
        microbatches < mesh.pipeline && wholeStages.includes(schedule.name),
      says: ({ mesh }) => `PyTorch's 1F1B needs a microbatch for each of ${mesh.pipeline} stages`,
    },
    interleavingRule,
    {
      broken: (run) =>
        run.problem.precision.weights === 'bf16' && run.mesh.tensor * run.mesh.pipeline > 1 && !usesFsdp(run),
      says: 'torchtitan mixes precision under tensor or pipeline only with FSDP',
    },
  ],
  cut: commonRules.cut,
  plan: [
    ...commonRules.plan,
    {
      broken: (run) => pipelineRank(run) === 'inside',
      says: 'torchtitan puts the pipeline outside of the replicas',
    },
    {
      broken: ({ recomputation }) => policiesApart(recomputation).length > 0,
      says: ({ recomputation }) =>
        `torchtitan recomputes whole layers, or by operation: it has no ${policiesApart(recomputation).join(' nor ')}`,
    },
    {
      broken: (run) => policiesApart(run.recomputation).length === 0 && torchtitanRecomputation(run) === null,
      says: 'only checkpoints of no layer, all, every n-th of a rank, or by operation (selective_op, without tensor and fp8) are mapped to torchtitan',
      unwritten: true,
    },
  ],
}

function trainedIn(types: readonly ElementType[], { gradients, optimizer }: Precision): boolean {
  return types.includes(gradients) && types.includes(optimizer)
}
