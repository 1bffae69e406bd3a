/** Costs and explains a training candidate: the plan as it is answered. */
import type { Solver } from '../../solvers/linear-program.ts'
import { compact } from '../compact.ts'
import type { CostModel } from '../cost/model.ts'
import { launch, settledBy } from '../launch/training.ts'
import type { Candidate } from '../search/layouts/candidate.ts'
import { replicasOf } from '../sharding/axis.ts'
import { trainingAccount } from './account/accounts.ts'
import { memoryPolicyAccount } from './account/memory-policy.ts'
import { stagePartitionAccount } from './account/stage-partition.ts'
import { binding } from './explain/binding.ts'
import { explanation } from './explain/explanation.ts'
import { bytesText } from './explain/figures.ts'
import { layersByPolicy, summary } from './explain/summary.ts'
import { planId } from './identity.ts'
import { fittingChunks } from './no-plan/loss-chunks.ts'
import { outline } from './outline.ts'
import type { Plan } from './plan.ts'
import { withRunTimes } from './run-times.ts'

export function assemble(model: CostModel, candidate: Candidate, rank: number, solver: Solver): Plan {
  const account = trainingAccount(model, candidate)
  const { costed, time, memory } = account
  const { mesh, zeroStage, schedule, microbatches, sequences, stageLayers } = candidate
  const { batchTokens, sequenceLength } = model.problem.workload
  const launches = launch(model, candidate)
  const { told, bound, busiest } = outline(account, componentLayouts(candidate), launches, (shortBytes) => {
    const over = `stage ${memory.stage} is over the memory budget by ${bytesText(shortBytes)} per chip`
    const chunks = fittingChunks(costed)
    return chunks === null ? over : `${over}; with assumptions.lossChunks ${chunks} it would fit`
  })
  const rematerialization = layersByPolicy(model, candidate)
  const chosen = [mesh, zeroStage, candidate.contextLayout, microbatches, schedule, rematerialization]
  const plan = {
    rank,
    id: planId([...chosen, told.placement]),
    summary: summary(model, candidate),
    ...told,
    ...binding(time, bound, busiest),
    zeroStage,
    contextLayout: mesh.context > 1 ? candidate.contextLayout : null,
    microbatches,
    microbatchTokens: (sequences * sequenceLength) / replicasOf(mesh),
    pipelineSchedule: schedule.name,
    virtualStages: schedule.virtualStages,
    stageLayers,
    stagePartition: stagePartitionAccount(costed),
    rematerialization,
    memoryPolicy: told.feasible ? memoryPolicyAccount(costed, solver, rank) : null,
    globalBatchSequences: sequences * microbatches,
    paddingFraction: 1 - batchTokens / (sequences * microbatches * sequenceLength),
  }
  return {
    ...plan,
    explanation: explanation(plan, costed, busiest),
    launch: withRunTimes(launches, account, settledBy(model, candidate)),
  }
}

/** What replicas share of the states, by ZeRO stage. */
const replicated = ['data', 'zero-1', 'zero-2', 'fsdp'] as const

function componentLayouts({ mesh, zeroStage, contextLayout }: Candidate): Readonly<Record<string, string>> {
  const tensor = mesh.tensor * mesh.tensor2 > 1
  const parts = compact(
    mesh.tensor2 > 1 ? '2d-tensor' : tensor && 'tensor',
    mesh.context > 1 && `context-${contextLayout}`,
    mesh.fsdp * mesh.data > 1 && replicated[zeroStage],
  )
  const name = parts.length > 0 ? parts.join('+') : 'single'
  return { attention: name, mlp: name, embedding: name, unembedding: name }
}
