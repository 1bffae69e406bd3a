/** What Megatron-LM cannot run. Source: as flags.ts, and megatron/core/optimizer/distrib_optimizer.py. */

import { scheduleRow } from '../../recipe/schedule.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { type Check, commonChecks, commonModelChecks, faults } from '../launch.ts'
import { widthChecks } from '../run/experts.ts'
import type { MeshRun, Run } from '../run/run.ts'
import { megatronExpertChecks } from './experts.ts'
import { megatronOptimizers, megatronSharding } from './states.ts'

export function megatronFaults(run: Run): readonly string[] {
  return [
    ...megatronMeshFaults(run),
    ...faults([
      ...commonChecks(run),
      ...scheduleChecks(run),
      ...stateChecks(run),
      ...megatronExpertChecks(run),
    ]),
  ]
}

/** Of every plan of a mesh. */
export function megatronMeshFaults(run: MeshRun): readonly string[] {
  return faults([
    ...commonModelChecks(run),
    ...meshChecks(run),
    ...modelChecks(run),
    ...widthChecks(run),
    ...precisionChecks(run),
  ])
}

function meshChecks({ mesh, sequenceLength, problem }: MeshRun): readonly Check[] {
  const parts = (mesh.context > 1 ? 2 * mesh.context : 1) * mesh.tensor
  return [
    [mesh.tensor2 > 1, 'Megatron-LM has one tensor axis; tensor2 shards D over a second'],
    [sequenceLength % parts !== 0, `${parts} does not divide the sequence length ${sequenceLength}`],
    [
      problem.cluster.network.kind === 'torus',
      'Megatron-LM counts ranks behind switches; it does not place axes on a torus',
    ],
  ]
}

const schedules: readonly ScheduleName[] = ['none', '1f1b', 'interleaved-1f1b']

function scheduleChecks({ mesh, schedule, microbatches }: Run): readonly Check[] {
  return [
    [schedule.name === 'gpipe', 'Megatron-LM runs 1F1B, not GPipe'],
    [
      scheduleRow(schedule).split !== null,
      `Megatron-LM runs each backward pass in one piece, ${schedule.name} in two`,
    ],
    [
      ![...schedules, 'gpipe'].includes(schedule.name),
      `the schedule ${schedule.name} is not mapped to Megatron-LM's`,
    ],
    [
      schedule.virtualStages > 1 && microbatches % mesh.pipeline !== 0,
      `interleaving needs microbatches that ${mesh.pipeline} stages divide`,
    ],
  ]
}

function stateChecks({ mesh, zeroStage, model, contextLayout, problem }: Run): readonly Check[] {
  const { optimizer } = problem.workload
  const local = model.attention.window !== null && model.attention.globalEvery !== 1
  return [
    [mesh.pipeline > 1 && megatronSharding[zeroStage] !== null, 'Megatron-FSDP does not go with a pipeline'],
    [
      problem.assumptions.optimizerOnHost && (zeroStage !== 1 || optimizer !== 'adamw'),
      "Megatron-LM keeps only its distributed optimizer's states of Adam on the host (ZeRO-1)",
    ],
    [contextLayout === 'ring' && mesh.context > 1 && local, 'Transformer Engine has no windows in a ring'],
    [
      zeroStage > 0 && optimizer !== 'adamw',
      `Megatron-LM shards only the states of Adam, not of ${optimizer}`,
    ],
  ]
}

function modelChecks({ model, sequenceLength, problem }: MeshRun): readonly Check[] {
  const { optimizer } = problem.workload
  return [
    [model.parallelBlocks, 'Megatron-LM runs attention before the MLP, not beside it'],
    [
      model.attention.latent !== null && model.attention.window !== null,
      'windows of latent attention are not mapped to Megatron-LM',
    ],
    [
      model.learnedPositions > 0 && model.learnedPositions < sequenceLength,
      `${model.learnedPositions} learned positions are fewer than a sequence has`,
    ],
    [!(optimizer in megatronOptimizers), `the optimizer ${optimizer} is not mapped to Megatron-LM's`],
  ]
}

function precisionChecks({ problem: { precision } }: MeshRun): readonly Check[] {
  const { weights, compute, gradients, optimizer } = precision
  const mixed = weights === 'bf16' && (compute === 'bf16' || compute === 'fp8')
  const reduced = mixed ? gradients === 'bf16' || gradients === 'fp32' : gradients === 'fp32'
  return [
    [
      !mixed && !(weights === 'fp32' && compute === 'fp32'),
      `weights in ${weights} with compute in ${compute} are not mapped to Megatron-LM`,
    ],
    [!reduced, `gradients in ${gradients} are not mapped to Megatron-LM`],
    [optimizer !== 'fp32', `Megatron-LM's optimizer states are taken in fp32, not ${optimizer}`],
  ]
}
