/** What torchtitan cannot run. Source: as config.ts. */

import { type Check, commonChecks, commonModelChecks, faults } from '../launch.ts'
import { pipelineRank } from '../run/rank-order.ts'
import type { MeshRun, Run } from '../run/run.ts'
import { usesFsdp } from './degrees.ts'
import { torchtitanExpertChecks, torchtitanModelChecks } from './experts.ts'
import { torchtitanFlavor } from './flavor.ts'
import { torchtitanSchedules } from './pipeline.ts'

export function torchtitanFaults(run: Run): readonly string[] {
  return [
    ...torchtitanMeshFaults(run),
    ...faults([
      ...commonChecks(run),
      ...rankChecks(run),
      ...stateChecks(run),
      ...torchtitanExpertChecks(run),
      ...pipelineChecks(run),
      ...precisionChecks(run),
    ]),
  ]
}

/** Of every plan of a mesh. */
export function torchtitanMeshFaults(run: MeshRun): readonly string[] {
  return faults([
    ...commonModelChecks(run),
    ...meshChecks(run),
    ...torchtitanModelChecks(run),
    ...flavorChecks(run),
    ...stateTypeChecks(run),
  ])
}

function flavorChecks(run: MeshRun): readonly Check[] {
  const flavor = torchtitanFlavor(run)
  const dense = !run.model.experts && !run.model.attention.latent
  return [
    [
      flavor === null,
      dense
        ? 'torchtitan has no model of this kind: rotary positions, a gated MLP, untied embeddings'
        : 'torchtitan has no model with these experts and this attention',
    ],
    [
      run.mesh.pipeline > 1 && flavor?.pipelines === false,
      `torchtitan's ${flavor?.model.name} has no pipeline`,
    ],
  ]
}

function meshChecks({ model, mesh, sequenceLength, problem }: MeshRun): readonly Check[] {
  const { tensor, context } = mesh
  const parts = 2 * context * tensor
  return [
    [mesh.tensor2 > 1, 'torchtitan has one tensor axis; tensor2 shards D over a second'],
    [
      model.kvHeads % tensor !== 0,
      `torchtitan does not replicate ${model.kvHeads} key-value heads over tensor ${tensor}`,
    ],
    [model.vocab % tensor !== 0, `tensor ${tensor} does not divide the vocabulary ${model.vocab}`],
    [sequenceLength % parts !== 0, `${parts} does not divide the sequence length ${sequenceLength}`],
    [
      problem.cluster.network.kind === 'torus',
      'torchtitan counts ranks behind switches; it does not place axes on a torus',
    ],
  ]
}

function rankChecks(run: Run): readonly Check[] {
  return [
    [run.mesh.context > 1 && run.contextLayout === 'ulysses', 'torchtitan has no ulysses'],
    [pipelineRank(run) === 'inside', 'torchtitan puts the pipeline outside of the replicas'],
  ]
}

function stateChecks(run: Run): readonly Check[] {
  const { zeroStage, mesh, replicas, microbatches, schedule, problem } = run
  const piped = mesh.pipeline > 1
  return [
    [zeroStage === 0 && mesh.context > 1, 'torchtitan shards weights over context; ZeRO-0 keeps them whole'],
    [
      zeroStage === 0 && replicas > 1 && replicas !== problem.cluster.chips,
      'torchtitan keeps whole copies (DDP) only without any other parallelism',
    ],
    [
      (zeroStage === 1 || zeroStage === 2) && !piped && microbatches > 1,
      `torchtitan gathers weights every microbatch, not once a step as ZeRO-${zeroStage} does`,
    ],
    [
      zeroStage === 1 && schedule.virtualStages > 3,
      'PyTorch keeps the weights of 3 chunks of an interleaved stage gathered, not of all',
    ],
    [
      zeroStage > 1 && piped,
      `PyTorch's pipeline keeps whole weights and gradients until the last microbatch; ZeRO-${zeroStage} does not`,
    ],
  ]
}

function pipelineChecks({ mesh, schedule, microbatches }: Run): readonly Check[] {
  return [
    [
      schedule.name === 'zb-h1',
      "PyTorch's zero-bubble schedules (InterleavedZeroBubble, ZBVZeroBubble) have two stages a rank or more, ZB-H1 one",
    ],
    [
      schedule.name === 'dualpipe',
      'PyTorch has DualPipeV, which folds DualPipe onto half of the ranks, not DualPipe itself',
    ],
    [
      mesh.pipeline > 1 && !(schedule.name in torchtitanSchedules),
      `the schedule ${schedule.name} is not mapped to torchtitan's`,
    ],
    [
      schedule.name === '1f1b' && microbatches < mesh.pipeline,
      `PyTorch's 1F1B needs a microbatch for each of ${mesh.pipeline} stages`,
    ],
    [
      schedule.virtualStages > 1 && microbatches % mesh.pipeline !== 0,
      `interleaving needs microbatches that ${mesh.pipeline} stages divide`,
    ],
  ]
}

function precisionChecks(run: Run): readonly Check[] {
  const { weights } = run.problem.precision
  const modelAxes = run.mesh.tensor * run.mesh.pipeline > 1
  return [
    [
      weights === 'bf16' && modelAxes && !usesFsdp(run),
      'torchtitan mixes precision under tensor or pipeline only with FSDP',
    ],
  ]
}

function stateTypeChecks({ problem }: MeshRun): readonly Check[] {
  const { weights, compute, gradients, optimizer } = problem.precision
  const mixed = weights === 'bf16' && (compute === 'bf16' || compute === 'fp8')
  return [
    [
      !mixed && !(weights === 'fp32' && compute === 'fp32'),
      `weights in ${weights} with compute in ${compute} are not mapped to torchtitan`,
    ],
    [
      problem.assumptions.optimizerOnHost,
      'torchtitan moves weights and gradients to the host too (enable_cpu_offload), not optimizer states alone',
    ],
    [gradients !== 'fp32', `torchtitan reduces gradients in fp32, not ${gradients}`],
    [optimizer !== 'fp32', `torchtitan's optimizer states are fp32, not ${optimizer}`],
    [
      problem.workload.optimizer !== 'adamw',
      `the optimizer ${problem.workload.optimizer} is not torchtitan's`,
    ],
  ]
}
