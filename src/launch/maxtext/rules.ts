/** Why MaxText cannot train a plan. Source: as config.ts. */

import { liesAlike } from '../../hardware/network/placement.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { pipelineRank } from '../run/rank-order.ts'
import { blockRule, commonRules, positionRule, type RunRules, wholeMastersRule } from '../run/rules.ts'
import type { LayoutRun, Run } from '../run/run.ts'
import { maxtextBlock, noBlock } from './block.ts'
import { maxtextContextRules } from './context.ts'
import { maxtextPlacements } from './device-mesh.ts'
import { deviceCount, deviceRules } from './devices.ts'
import { evenRules } from './even.ts'
import { reordersExperts, slicedMesh } from './mesh.ts'
import { accumulationRules, maxtextQuantization, quantizesExperts } from './quantization.ts'
import { maxtextRecomputation, sendsAgain } from './recomputation.ts'
import { sliceRules } from './slices.ts'
import { sequenceRules, splashRules } from './splash.ts'

const types: readonly ElementType[] = ['bf16', 'fp32']

/**
 * Optimizers, with the decoder blocks that have them if not all do: Muon has to know which dimensions of an array are a
 * matrix, and MaxText refuses it where that has not been tried (types.py).
 */
const optimizers: Readonly<Partial<Record<OptimizerName, 'all' | readonly string[]>>> = {
  ...{ adamw: 'all', sgd: 'all' },
  muon: ['llama2', 'qwen3', 'gemma3', 'deepseek'],
}

/** Optimizers whose states MaxText can shard over data while weights are replicated. */
const sharded: readonly OptimizerName[] = ['adamw']

const schedules: readonly ScheduleName[] = ['none', 'gpipe']

export const maxtextRules: RunRules = {
  mesh: [
    ...commonRules.mesh,
    ...sliceRules,
    {
      broken: ({ mesh }) => mesh.tensor2 > 1,
      says: 'MaxText has no second tensor axis that shards D',
    },
    ...evenRules,
    ...sequenceRules,
    blockRule('MaxText'),
    { broken: (run) => maxtextBlock(run) === null, says: noBlock },
    {
      broken: ({ model, problem }) => problem.cluster.chip.kind === 'gpu' && model.attention.latent !== null,
      says: 'latent attention through cuDNN is not mapped to MaxText on GPUs',
      unwritten: true,
    },
    positionRule,
    {
      broken: ({ problem: { workload } }) => !(workload.optimizer in optimizers),
      says: ({ problem: { workload } }) => `the optimizer ${workload.optimizer} is not mapped to MaxText's`,
    },
    {
      broken: (run) => {
        const blocks = optimizers[run.problem.workload.optimizer] ?? 'all'
        return blocks !== 'all' && !blocks.includes(maxtextBlock(run)?.name ?? '')
      },
      says: ({ problem: { workload } }) =>
        `MaxText has ${workload.optimizer} only for the decoder blocks ${[optimizers[workload.optimizer]].flat().join(', ')}`,
    },
    {
      broken: (run) => run.mesh.pipeline > 1 && (maxtextBlock(run)?.cycle ?? 1) > 1,
      says: 'MaxText pipelines whole cycles of layers that differ, not single ones',
    },
    {
      broken: ({ mesh, model }) => mesh.pipeline > 1 && (model.experts?.denseLayers ?? 0) > 0,
      says: 'MaxText runs the first dense layers outside of the pipeline',
    },
    {
      broken: ({ mesh, model }) => mesh.pipeline > 1 && model.multiTokenLayers > 0,
      says: 'MaxText runs layers that predict further tokens outside of the pipeline',
    },
    {
      broken: (run) => !types.includes(run.problem.precision.weights) || maxtextQuantization(run) === null,
      says: ({ problem: { precision } }) =>
        `weights in ${precision.weights} with compute in ${precision.compute} are not mapped to MaxText`,
    },
    {
      broken: (run) => run.model.experts !== null && !quantizesExperts(run),
      says: ({ problem: { precision, cluster } }) =>
        `MaxText has no matmuls of experts in ${precision.compute} on ${cluster.chip.kind.toUpperCase()}s: below 16 bits they run in fp8, on TPUs (Qwix)`,
    },
    {
      broken: ({ problem }) => !types.includes(problem.precision.gradients),
      says: ({ problem }) => `gradients in ${problem.precision.gradients} are not mapped to MaxText`,
    },
    {
      broken: ({ problem }) => problem.precision.optimizer !== keptWeights(problem),
      says: ({ problem }) =>
        `MaxText keeps optimizer states in the type of its weights, ${keptWeights(problem)}, not ${problem.precision.optimizer}`,
    },
    wholeMastersRule('MaxText'),
  ],
  layout: [
    ...commonRules.layout,
    ...deviceRules,
    { broken: ({ zeroStage }) => zeroStage === 2, says: 'MaxText has no ZeRO-2' },
    {
      broken: ({ zeroStage, mesh }) => zeroStage < 2 && mesh.fsdp * mesh.context * mesh.expert > 1,
      says: 'MaxText shards weights over fsdp, context and expert, as ZeRO-3 does',
    },
    {
      broken: ({ zeroStage, replicas, microbatches }) => zeroStage < 2 && replicas > 1 && microbatches > 1,
      says: ({ zeroStage }) =>
        `MaxText reduces gradients every microbatch, not once a step as ZeRO-${zeroStage} does`,
    },
    {
      broken: ({ zeroStage, replicas, model }) => zeroStage === 1 && model.dModel % replicas !== 0,
      says: ({ replicas, model }) => `dModel ${model.dModel} has no ${replicas} even shards`,
    },
    {
      broken: ({ zeroStage, problem }) => zeroStage === 1 && !sharded.includes(problem.workload.optimizer),
      says: 'MaxText shards only the states of Adam over data',
    },
    ...accumulationRules,
    ...maxtextContextRules,
    ...splashRules,
    {
      broken: ({ schedule }) => !schedules.includes(schedule.name),
      says: ({ schedule }) =>
        `MaxText's pipeline keeps every microbatch, as GPipe does, not ${schedule.name}`,
    },
    {
      broken: ({ mesh, microbatches }) => mesh.pipeline > 1 && microbatches % mesh.pipeline !== 0,
      says: ({ mesh }) => `${mesh.pipeline} stages do not divide the microbatches`,
    },
    {
      broken: (run) => pieces(run) > 1 && run.model.multiTokenLayers > 0,
      says: 'MaxText takes the loss of further tokens on whole logits, not in pieces',
    },
    {
      broken: (run) =>
        ((run.sequences * run.sequenceLength) / deviceCount(run.problem.cluster)) % pieces(run) !== 0 &&
        pieces(run) > 1,
      says: (run) => `${pieces(run)} pieces of logits do not divide the tokens of a chip`,
    },
    {
      broken: (run) => pieces(run) > 1 && run.mesh.pipeline > 1,
      says: "MaxText's pipeline hands all microbatches to the loss at once: pieces of one are not mapped",
      unwritten: true,
    },
  ],
  cut: [
    ...commonRules.cut,
    {
      broken: ({ stageLayers }) => !stageLayers.every((layers) => layers === stageLayers[0]),
      says: 'MaxText has the same number of layers in each stage',
    },
  ],
  plan: [
    ...commonRules.plan,
    { broken: sendsAgain, says: 'MaxText sends tokens to their experts again in the backward pass' },
    {
      broken: ({ recomputation }) => recomputation.count > 0,
      says: 'MaxText has one rematerialisation policy for all layers',
    },
    {
      broken: (run) => run.recomputation.count === 0 && maxtextRecomputation(run) === null,
      says: ({ recomputation }) => `MaxText has no policy that keeps what ${recomputation.policy} keeps`,
    },
    {
      broken: (run) => run.problem.cluster.network.kind === 'switched' && pipelineRank(run) === 'inside',
      says: 'MaxText counts ranks through context, fsdp, data, then the pipeline',
    },
    {
      broken: isElsewhere,
      says: "JAX puts the axes of MaxText's mesh elsewhere on the torus, and no option changes that",
    },
    {
      broken: (run) => slicedMesh(run) === null,
      says: "a mesh axis straddles the units of the innermost tier, which are MaxText's slices",
    },
    {
      broken: (run) => {
        const sliced = slicedMesh(run)
        return sliced !== null && reordersExperts(sliced)
      },
      says: 'MaxText counts ranks through experts before all else',
    },
  ],
}

/** MaxText keeps moments in the same type as weights. */
export function keptWeights({ precision, assumptions }: Run['problem']): ElementType {
  return assumptions.masterWeights ? 'fp32' : precision.weights
}

function isElsewhere({ problem, mesh, placement }: Run): boolean {
  const made = maxtextPlacements(problem.cluster, mesh)
  return made !== null && !made.some((one) => liesAlike(one, placement))
}

/** Pieces in which logits are computed. */
function pieces({ problem }: LayoutRun): number {
  return problem.assumptions.lossChunks
}
