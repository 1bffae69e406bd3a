/** What MaxText cannot run. Source: as config.ts. */

import type { ElementType } from '../../recipe/element-types.ts'
import { type Check, commonChecks, commonModelChecks, faults } from '../launch.ts'
import { widthChecks } from '../run/experts.ts'
import { pipelineRank } from '../run/rank-order.ts'
import type { MeshRun, Run } from '../run/run.ts'
import { maxtextBlock } from './block.ts'
import { maxtextContextChecks } from './context.ts'
import { sendsAgain } from './recomputation.ts'

export function maxtextFaults(run: Run): readonly string[] {
  return [
    ...maxtextMeshFaults(run),
    ...faults([
      ...commonChecks(run),
      ...stateChecks(run),
      ...expertChecks(run),
      ...maxtextContextChecks(run),
      ...pipelineChecks(run),
      ...lossChecks(run),
    ]),
  ]
}

/** Of every plan of a mesh. */
export function maxtextMeshFaults(run: MeshRun): readonly string[] {
  return faults([...commonModelChecks(run), ...meshChecks(run), ...modelChecks(run), ...precisionChecks(run)])
}

function meshChecks(run: MeshRun): readonly Check[] {
  const { mesh, model, sequenceLength } = run
  const { tensor, context, fsdp, expert } = mesh
  const divides = (shards: number, name: string, size: number): Check => [
    size % shards !== 0,
    `${name} ${size} cannot be sharded evenly ${shards} ways`,
  ]
  return [
    [mesh.tensor2 > 1, 'MaxText has no second tensor axis that shards D'],
    divides(fsdp * context * expert, 'dModel', model.dModel),
    divides(tensor, 'dModel', model.dModel),
    ...widthChecks(run),
    divides(tensor, 'the vocabulary', model.vocab),
    divides(tensor, 'key-value heads', model.kvHeads),
    divides(context > 1 ? 2 * context : 1, 'the sequence length', sequenceLength),
  ]
}

function stateChecks({ zeroStage, mesh, replicas, microbatches, model, problem }: Run): readonly Check[] {
  const copies = zeroStage < 2
  return [
    [zeroStage === 2, 'MaxText has no ZeRO-2'],
    [
      copies && mesh.fsdp * mesh.context * mesh.expert > 1,
      'MaxText shards weights over fsdp, context and expert, as ZeRO-3 does',
    ],
    [
      copies && replicas > 1 && microbatches > 1,
      `MaxText reduces gradients every microbatch, not once a step as ZeRO-${zeroStage} does`,
    ],
    [
      zeroStage === 1 && model.dModel % replicas !== 0,
      `dModel ${model.dModel} has no ${replicas} even shards`,
    ],
    [
      zeroStage === 1 && problem.workload.optimizer !== 'adamw',
      'MaxText shards only the states of Adam over data',
    ],
  ]
}

function modelChecks(run: MeshRun): readonly Check[] {
  const { model, sequenceLength, problem } = run
  const { optimizer } = problem.workload
  return [
    [maxtextBlock(run) === null, 'MaxText has no decoder block with these experts and this attention'],
    [
      problem.cluster.chip.kind === 'gpu' && model.attention.latent !== null,
      'latent attention through cuDNN is not mapped to MaxText on GPUs',
    ],
    [model.parallelBlocks, 'MaxText runs attention before the MLP, not beside it'],
    [
      model.learnedPositions > 0 && model.learnedPositions < sequenceLength,
      `${model.learnedPositions} learned positions are fewer than a sequence has`,
    ],
    [optimizer !== 'adamw' && optimizer !== 'sgd', `the optimizer ${optimizer} is not mapped to MaxText's`],
  ]
}

function expertChecks(run: Run): readonly Check[] {
  const { model, mesh } = run
  return [
    [sendsAgain(run), 'MaxText sends tokens to their experts again in the backward pass'],
    [
      mesh.pipeline > 1 && (maxtextBlock(run)?.cycle ?? 1) > 1,
      'MaxText pipelines whole cycles of layers that differ, not single ones',
    ],
    [
      mesh.pipeline > 1 && (model.experts?.denseLayers ?? 0) > 0,
      'MaxText runs the first dense layers outside of the pipeline',
    ],
    [
      mesh.pipeline > 1 && model.multiTokenLayers > 0,
      'MaxText runs layers that predict further tokens outside of the pipeline',
    ],
  ]
}

function pipelineChecks(run: Run): readonly Check[] {
  const { mesh, schedule, stageLayers, microbatches } = run
  const rank = pipelineRank(run)
  const misplaced =
    mesh.data > 1 && mesh.fsdp > 1 ? rank !== 'either' : rank === (mesh.data > 1 ? 'outside' : 'inside')
  return [
    [
      schedule.name !== 'none' && schedule.name !== 'gpipe',
      `MaxText's pipeline keeps every microbatch, as GPipe does, not ${schedule.name}`,
    ],
    [
      !stageLayers.every((layers) => layers === stageLayers[0]),
      'MaxText has the same number of layers in each stage',
    ],
    [
      mesh.pipeline > 1 && microbatches % mesh.pipeline !== 0,
      `${mesh.pipeline} stages do not divide the microbatches`,
    ],
    [
      run.problem.cluster.network.kind === 'switched' && misplaced,
      'MaxText counts ranks through context, fsdp, the pipeline, then data',
    ],
  ]
}

function lossChecks({ model, mesh, sequenceLength, sequences, problem }: Run): readonly Check[] {
  const { lossChunks } = problem.assumptions
  if (lossChunks === 1) return []
  return [
    [model.multiTokenLayers > 0, 'MaxText takes the loss of further tokens on whole logits, not in pieces'],
    [
      ((sequences * sequenceLength) / problem.cluster.chips) % lossChunks !== 0,
      `${lossChunks} pieces of logits do not divide the tokens of a chip`,
    ],
    [
      mesh.pipeline > 1,
      "MaxText's pipeline hands all microbatches to the loss at once: pieces of one are not mapped",
    ],
  ]
}

/** MaxText's moments are kept as its weights are. */
export function keptWeights({ precision, assumptions }: Run['problem']): ElementType {
  return assumptions.masterWeights ? 'fp32' : precision.weights
}

function precisionChecks({ problem }: MeshRun): readonly Check[] {
  const { weights, compute, gradients, optimizer } = problem.precision
  const kept = keptWeights(problem)
  return [
    [
      !['bf16', 'fp32'].includes(weights) || !['bf16', 'fp32'].includes(compute),
      `weights in ${weights} with compute in ${compute} are not mapped to MaxText`,
    ],
    [!['bf16', 'fp32'].includes(gradients), `gradients in ${gradients} are not mapped to MaxText`],
    [
      optimizer !== kept,
      `MaxText keeps optimizer states in the type of its weights, ${kept}, not ${optimizer}`,
    ],
  ]
}
