/** A candidate, costed and explained: the plan that goes out. */

import type { Solver } from '../../solvers/linear-program.ts'
import type { CostModel } from '../cost/model.ts'
import { repriced } from '../cost/repriced.ts'
import { chipsAsked } from '../hardware/cluster/cluster.ts'
import { launch } from '../launch/training.ts'
import { routerTrainFlops, trainFlops } from '../model/flops.ts'
import type { Candidate } from '../search/candidate.ts'
import { replicasOf } from '../sharding/axis.ts'
import { memoryAccount, timeAccount } from './account/accounts.ts'
import { algorithmLines } from './account/algorithm.ts'
import { movements, planComponents } from './account/collectives.ts'
import { type Costing, costing } from './account/costing.ts'
import { memoryPolicyAccount } from './account/memory-policy.ts'
import { busiestNetwork, withHalf } from './account/network-use.ts'
import { axisPlacements } from './account/placement.ts'
import { shardingsOf } from './account/shardings.ts'
import { stagePartitionAccount } from './account/stage-partition.ts'
import { tokenCost } from './account/token-cost.ts'
import { utilization } from './account/utilization.ts'
import { recomputedFlops } from './account/work.ts'
import { uncertaintyOf } from './certainty/uncertainty.ts'
import { binding } from './explain/binding.ts'
import { explanation } from './explain/explanation.ts'
import { bytesText } from './explain/figures.ts'
import { layersByPolicy, summary } from './explain/summary.ts'
import { planId } from './identity.ts'
import { fittingChunks } from './no-plan/loss-chunks.ts'
import type { Infeasibility, Plan } from './plan.ts'

export function assemble(model: CostModel, candidate: Candidate, rank: number, solver: Solver): Plan {
  const costed = costing(model, candidate)
  const moved = movements(costed)
  const lines = moved.map(({ line }) => line)
  const time = timeAccount(costed, lines)
  const memory = memoryAccount(costed)
  const { problem } = model
  const busiest = busiestNetwork(problem.cluster.network, moved, time.hostTransfer)
  const bound = binding(time, busiest)
  const { workload, cluster } = problem
  const { mesh, zeroStage, schedule, microbatches, sequences, stageLayers } = candidate
  const rematerialization = layersByPolicy(model, candidate)
  const placement = axisPlacements(candidate.placement, mesh, cluster)
  const usefulFlops = usefulStepFlops(model)
  const used = utilization(cluster, problem.precision, costed.stepTime)
  const paid = chipsAsked(cluster)
  const tokensPerSecond = workload.batchTokens / costed.stepTime
  const executedFlops = usefulFlops + recomputedStepFlops(costed)
  const short = memory.total - memory.budget
  const feasible = short <= memory.budget * 1e-12
  const launches = launch(model, candidate)
  const plan = {
    rank,
    feasible,
    ...(feasible ? {} : { infeasible: [tooFull(short, memory.stage, fittingChunks(costed))] }),
    id: planId([
      mesh,
      zeroStage,
      candidate.contextLayout,
      microbatches,
      schedule,
      rematerialization,
      placement,
    ]),
    summary: summary(model, candidate),
    chips: cluster.chips,
    idleChips: paid - cluster.chips,
    mesh,
    placement,
    layout: {
      components: componentLayouts(candidate),
      shardings: shardingsOf(planComponents(costed)),
      algorithm: algorithmLines(costed),
    },
    zeroStage,
    contextLayout: mesh.context > 1 ? candidate.contextLayout : null,
    microbatches,
    microbatchTokens: (sequences * workload.sequenceLength) / replicasOf(mesh),
    pipelineSchedule: schedule.name,
    virtualStages: schedule.virtualStages,
    stageLayers,
    stagePartition: stagePartitionAccount(costed),
    rematerialization,
    memoryPolicy: feasible ? memoryPolicyAccount(costed, solver, rank) : null,
    stepTimeSeconds: costed.stepTime,
    lowerBoundSeconds: costed.lowerBound,
    upperBoundSeconds: costed.upperBound,
    uncertainty: uncertaintyOf(problem, 'train', launches, costed.stepTime),
    againstFirst: null,
    ...used(usefulFlops, executedFlops),
    tokensPerSecond,
    tokensPerSecondPerChip: tokensPerSecond / paid,
    ...tokenCost(cluster.chip, paid, tokensPerSecond, 'trained'),
    paddingFraction: 1 - workload.batchTokens / (sequences * microbatches * workload.sequenceLength),
    timeSeconds: time,
    memoryBytes: memory,
    bottleneck: bound.bottleneck,
    bottleneckDetail: bound.detail,
    headroom: {
      communication: bound.communicationHeadroom,
      memory: memory.budget / memory.total,
      atHalfBandwidth: busiest && {
        network: busiest.name,
        stepTimeSeconds: costing(repriced(model, withHalf(cluster, busiest.name)), candidate).stepTime,
      },
    },
    collectives: lines,
  }
  return {
    ...plan,
    explanation: explanation(plan, costed),
    launch: launches,
  }
}

/**
 * The FLOPs that MFU counts: 6 per parameter that multiplies tokens in a matmul (the unembedding once, the embedding
 * lookup and routers not), and attention as the assumptions count it.
 */
function usefulStepFlops({ problem }: CostModel): number {
  const { model, workload, assumptions } = problem
  const { batchTokens, sequenceLength } = workload
  const all = trainFlops(model, batchTokens, sequenceLength, assumptions.attentionFlops).total
  // Routers take no time here, and so count for nothing.
  return all - routerTrainFlops(model, batchTokens)
}

function recomputedStepFlops(costed: Costing): number {
  const { candidate, layers, model } = costed
  const chips = model.problem.cluster.chips / candidate.mesh.pipeline
  return recomputedFlops(costed) * layers.microbatches * chips
}

function tooFull(shortBytes: number, stage: number, chunks: number | null): Infeasibility {
  const over = `stage ${stage} is over the memory budget by ${bytesText(shortBytes)} per chip`
  const detail = chunks === null ? over : `${over}; with assumptions.lossChunks ${chunks} it would fit`
  return { reason: 'memory', pointer: '/memoryBudget', detail, shortBytes }
}

function componentLayouts({ mesh, zeroStage, contextLayout }: Candidate): Readonly<Record<string, string>> {
  const tensor = mesh.tensor * mesh.tensor2 > 1
  const parts = [
    mesh.tensor2 > 1 ? '2d-tensor' : tensor ? 'tensor' : null,
    mesh.context > 1 ? `context-${contextLayout}` : null,
    mesh.fsdp * mesh.data > 1
      ? zeroStage === 3
        ? 'fsdp'
        : zeroStage === 0
          ? 'data'
          : `zero-${zeroStage}`
      : null,
  ].filter((part) => part !== null)
  const name = parts.length > 0 ? parts.join('+') : 'single'
  return { attention: name, mlp: name, embedding: name, unembedding: name }
}
