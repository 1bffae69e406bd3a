/**
 * MaxText configuration. One array of devices has named axes; weights are sharded over fsdp and context (ZeRO-3), and
 * replicated over data. For all arrays but the experts, its expert axis is part of fsdp. These plans it cannot run, or
 * only in part:
 *
 *   ZeRO-0, ZeRO-1   only without context, expert and accumulation, as the compiler reduces gradients in every
 *                    microbatch. ZeRO-1 is shard_optimizer_over_data
 *   ZeRO-2, tensor2  not at all (the tensor_transpose axis went in July 2026)
 *   pipeline         only the circular pipeline with one repeat, which keeps all microbatches as GPipe does, and equal
 *                    stages
 *   uneven shards    not at all: an axis is dropped from a dimension that it does not divide
 *
 * Source: AI-Hypercomputer/maxtext e591f30 (August 2026), src/maxtext/configs/base.yml, configs/types.py,
 * utils/sharding.py, utils/gradient_accumulation.py; configs/gpu/a3 for GPUs.
 */

import { compact } from '../../compact.ts'
import { devicesOn } from '../../hardware/chip.ts'
import { hostCount, visibleChips } from '../../hardware/cluster/hosts.ts'
import { isNarrow } from '../../recipe/element-type.ts'
import type { Launch } from '../launch.ts'
import { longName } from '../long-names.ts'
import { copiesNote, routingGroups } from '../run/experts.ts'
import { runRefusal } from '../run/rules.ts'
import type { Run } from '../run/run.ts'
import { firstHost, hostRank, type Start, shellWords } from '../start.ts'
import { type Block, kernelKeys, maxtextBlock, modelKeys } from './block.ts'
import { maxtextContext } from './context.ts'
import { maxtextPlacements, unbuilt, unsplit } from './device-mesh.ts'
import { deviceAxis, deviceCount, devicesInTensor } from './devices.ts'
import { bufferKeys, bufferNote } from './experts.ts'
import { type MaxtextConfig, maxtextVersion, perDevice, settings } from './keys.ts'
import { libtpuArguments } from './libtpu.ts'
import { axesOfExperts, maxtextAxes, type SlicedMesh, slicedMesh } from './mesh.ts'
import { maxtextName } from './model-names.ts'
import { packingKeys, segmentKeys } from './packing.ts'
import { maxtextQuantization } from './quantization.ts'
import { maxtextRecomputation } from './recomputation.ts'
import { keptWeights, maxtextRules } from './rules.ts'
import { splashKeys } from './splash.ts'

export function maxtext(run: Run): Launch<MaxtextConfig> {
  const sliced = slicedMesh(run)
  const block = maxtextBlock(run)
  const recomputation = maxtextRecomputation(run)
  const refusal = runRefusal(maxtextRules, run)
  if (!sliced || !block || !recomputation || refusal.unsupported.length > 0) return refusal
  const layout = {
    ...meshConfig(run, sliced),
    ...batchConfig(run),
    ...lossConfig(run),
    ...recomputation,
    ...precisionConfig(run),
  }
  const flags = { ...modelConfig(run, block), ...layout }
  const notes = compact(
    placementNote(run),
    unbuilt(run, sliced),
    bufferNote(run),
    modelNotes(run, block),
    deviceNote(run),
  )
  return { flags, start: maxtextStart(run, flags, layout), notes }
}

/** Trains on synthetic data; runs on each host. GPUs need the coordinator's address, TPUs find it themselves. */
function maxtextStart(own: Run, flags: MaxtextConfig, layout: MaxtextConfig): Start {
  const { cluster } = own.problem
  const hosts = hostCount(cluster)
  const gpus = cluster.chip.kind === 'gpu'
  const seen = gpus ? visibleChips(cluster) : null
  const visible = seen === null ? '' : `CUDA_VISIBLE_DEVICES=${[...Array(seen).keys()].join()} `
  const where = `NNODES=${hosts} NODE_RANK=${hostRank} JAX_COORDINATOR_IP=${firstHost} JAX_COORDINATOR_PORT=1234 `
  const run = { run_name: 'shardplan', dataset_type: 'synthetic', steps: 20, enable_checkpointing: false }
  return {
    version: maxtextVersion,
    command: `${gpus ? `${visible}${hosts > 1 ? where : ''}` : libtpuArguments(own)}python3 -m maxtext.trainers.pre_train.train base_output_directory="\${OUTPUT:-output}" ${shellWords(settings({ ...run, ...flags }))}`,
    files: [],
    parallelism: shellWords(settings(layout)),
  }
}

function modelConfig(run: Run, block: Block): MaxtextConfig {
  const { model, problem } = run
  const limited = routingGroups(run)
  const gpu = problem.cluster.chip.kind === 'gpu'
  return {
    ...(gpu ? { hardware: 'gpu', attention: 'cudnn_flash_te', ...segmentKeys(run) } : { attention: 'flash' }),
    ...describedModel(model, block),
    ...(limited ? { n_routing_groups: limited.groups, topk_routing_group: limited.limit } : {}),
    ...(model.multiTokenLayers > 0 ? { mtp_num_layers: model.multiTokenLayers } : {}),
    opt_type: problem.workload.optimizer,
  }
}

/** By its name where MaxText has the model, whose config there also says positions, norms and biases. */
function describedModel(model: Run['model'], block: Block): MaxtextConfig {
  const name = maxtextName(model)
  return name === null ? modelKeys(model, block) : { model_name: name, ...kernelKeys(block) }
}

function meshConfig(run: Run, { ici: chips, dcn }: SlicedMesh): MaxtextConfig {
  const shared = deviceAxis(run) ?? 'fsdp'
  const { chip, network } = run.problem.cluster
  const devices = devicesOn(chip)
  const ici = { ...chips, [shared]: chips[shared] * devices }
  const splits = network.kind === 'torus' && unsplit(network.topology, devices, ici) !== null
  const axes = maxtextAxes.filter((axis) => run.model.experts || !axesOfExperts.includes(axis))
  const sizes = (prefix: string, values: SlicedMesh['ici']) =>
    Object.fromEntries(axes.map((axis) => [`${prefix}_${axis}_parallelism`, values[axis]]))
  return {
    ...sizes('ici', ici),
    ...sizes('dcn', dcn),
    ...(splits ? { allow_split_physical_axes: true } : {}),
    ...bufferKeys(run),
    ...maxtextContext(run),
    ...packingKeys(run),
    ...splashKeys(run),
    ...(run.zeroStage === 1 ? { shard_optimizer_over_data: true } : {}),
    ...(run.problem.assumptions.optimizerOnHost ? { optimizer_memory_host_offload: true } : {}),
  }
}

/** MaxText takes sequences per device, whatever the mesh; a pipeline takes all microbatches in one forward pass. */
function batchConfig({
  mesh,
  problem,
  sequences,
  globalBatch,
  microbatches,
  sequenceLength,
  stageLayers,
}: Run) {
  const piped = mesh.pipeline > 1
  return {
    max_target_length: sequenceLength,
    per_device_batch_size: perDevice(piped ? globalBatch : sequences, deviceCount(problem.cluster)),
    gradient_accumulation_steps: piped ? 1 : microbatches,
    ...(piped
      ? {
          num_pipeline_microbatches: microbatches,
          num_layers_per_pipeline_stage: stageLayers[0] ?? 0,
          num_pipeline_repeats: 1,
        }
      : {}),
  }
}

/** Number of pieces of a chip's tokens; the logits of each are recomputed in the backward pass. */
function lossConfig({ problem: { assumptions } }: Run): MaxtextConfig {
  return assumptions.lossChunks > 1 ? { num_vocab_tiling: assumptions.lossChunks } : {}
}

/** Weights are kept in fp32 (the master copy) and cast for use; without master weights, in their own type. */
function precisionConfig(run: Run): MaxtextConfig {
  const { problem } = run
  const { weights, compute, gradients } = problem.precision
  return {
    dtype: longName(isNarrow(compute) ? weights : compute),
    weight_dtype: longName(keptWeights(problem)),
    grad_dtype: longName(gradients),
    ...maxtextQuantization(run),
  }
}

/** A plan counts a chip once; what its devices exchange in a tensor axis is not charged. */
function deviceNote(run: Run): string | null {
  const devices = devicesOn(run.problem.cluster.chip)
  const joined = deviceAxis(run)
  if (devices === 1 || joined !== devicesInTensor) return null
  const { tensor } = run.mesh
  return `MaxText: the ${devices} devices of a chip share its part of the model (tensor ${tensor * devices}), not its sequences, of which a chip has ${run.microbatch} in a microbatch: what they exchange is not counted. With a number of sequences that ${devices} divides, fsdp runs over all devices, as in published recipes.`
}

function placementNote({ problem: { cluster }, mesh }: Run): string | null {
  if (cluster.network.kind !== 'torus' || cluster.chips === 1 || maxtextPlacements(cluster, mesh)) return null
  return 'MaxText: JAX chooses where mesh axes lie on the torus; compare what it logs with `placement`.'
}

function modelNotes(run: Run, { name }: Block): readonly string[] {
  const chunks =
    'MaxText: the local layers of this block attend within chunks, as in Llama 4, not to a window.'
  return compact(name === 'llama4' && chunks, copiesNote(run, 'MaxText'))
}
