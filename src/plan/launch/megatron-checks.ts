/** What Megatron-LM cannot run. Source: as megatron.ts, and megatron/core/optimizer/distrib_optimizer.py. */

import { splitsBackward } from '../../cost/split-backward.ts'
import { megatronExpertChecks } from './megatron-experts.ts'
import { megatronOptimizers, megatronSharding } from './megatron-states.ts'
import type { Run } from './run.ts'
import { type Check, commonChecks, faults } from './unsupported.ts'

export function megatronFaults(run: Run): readonly string[] {
  return faults([
    ...commonChecks(run),
    ...meshChecks(run),
    ...modelChecks(run),
    ...megatronExpertChecks(run),
    ...precisionChecks(run),
  ])
}

const schedules: readonly string[] = ['none', '1f1b', 'interleaved-1f1b']

function meshChecks({
  mesh,
  zeroStage,
  schedule,
  microbatches,
  sequenceLength,
  problem,
}: Run): readonly Check[] {
  const { tensor, context, pipeline } = mesh
  const parts = (context > 1 ? 2 * context : 1) * tensor
  return [
    [mesh.tensor2 > 1, 'Megatron-LM has one tensor axis; tensor2 shards D over a second'],
    [schedule.name === 'gpipe', 'Megatron-LM runs 1F1B, not GPipe'],
    [splitsBackward(schedule), `Megatron-LM runs each backward pass in one piece, ${schedule.name} in two`],
    [
      ![...schedules, 'gpipe'].includes(schedule.name),
      `the schedule ${schedule.name} is not mapped to Megatron-LM's`,
    ],
    [
      schedule.virtualStages > 1 && microbatches % pipeline !== 0,
      `interleaving needs microbatches that ${pipeline} stages divide`,
    ],
    [pipeline > 1 && megatronSharding[zeroStage] !== null, 'Megatron-FSDP does not go with a pipeline'],
    [sequenceLength % parts !== 0, `${parts} does not divide the sequence length ${sequenceLength}`],
    [
      problem.cluster.network.kind === 'torus',
      'Megatron-LM counts ranks behind switches; it does not place axes on a torus',
    ],
  ]
}

function modelChecks(run: Run): readonly Check[] {
  const { model, sequenceLength, problem } = run
  const { optimizer } = problem.workload
  const local = model.attention.window !== null && model.attention.globalEvery !== 1
  return [
    [model.parallelBlocks, 'Megatron-LM runs attention before the MLP, not beside it'],
    [
      run.contextLayout === 'ring' && run.mesh.context > 1 && local,
      'Transformer Engine has no windows in a ring',
    ],
    [
      model.attention.latent !== null && model.attention.window !== null,
      'windows of latent attention are not mapped to Megatron-LM',
    ],
    [
      model.learnedPositions > 0 && model.learnedPositions < sequenceLength,
      `${model.learnedPositions} learned positions are fewer than a sequence has`,
    ],
    [
      run.zeroStage > 0 && optimizer !== 'adamw',
      `Megatron-LM shards only the states of Adam, not of ${optimizer}`,
    ],
    [!(optimizer in megatronOptimizers), `the optimizer ${optimizer} is not mapped to Megatron-LM's`],
  ]
}

function precisionChecks({ problem: { precision } }: Run): readonly Check[] {
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
