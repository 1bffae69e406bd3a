/**
 * Megatron-LM flags. Its ranks are tensor x context x data x pipeline, data being what is left of the world, and its
 * parameters and optimizer states are sharded over data and context together:
 *
 *   ZeRO-0   nothing
 *   ZeRO-1   --use-distributed-optimizer
 *   ZeRO-2   --use-megatron-fsdp, optim_grads
 *   ZeRO-3   --use-megatron-fsdp, optim_grads_params; `data` is its number of distributed optimizer instances (HSDP)
 *
 * Experts are spread over ranks of data (experts.ts).
 *
 * Megatron-FSDP goes with tensor and context parallelism, not with a pipeline. Source: NVIDIA/Megatron-LM core_v0.19.0,
 * megatron/training/arguments.py, megatron/core/transformer/transformer_config.py, docs/user-guide/features/megatron_fsdp.md
 * and, on pipelines, the scripts of examples/multimodal_dev.
 */

import type { Launch } from '../launch.ts'
import { wholeLossNotes } from '../run/notes.ts'
import { pipelineRank } from '../run/rank-order.ts'
import { runFaults } from '../run/rules.ts'
import type { Run } from '../run/run.ts'
import { megatronAttention } from './attention.ts'
import { megatronExpertNotes, megatronExperts } from './experts.ts'
import { megatronPipeline } from './pipeline.ts'
import { megatronRecomputation } from './recomputation.ts'
import { megatronRules } from './rules.ts'
import { megatronSharding, megatronStates } from './states.ts'

type Flag = string | number

const contextExchanges = { gather: 'all_gather', ring: 'p2p', ulysses: 'a2a' } as const

export function megatron(run: Run): Launch<readonly string[]> {
  const recomputation = megatronRecomputation(run)
  const unsupported = runFaults(megatronRules, run)
  if (!recomputation || unsupported.length > 0) return { unsupported }
  const flags = [
    ...modelFlags(run),
    ...megatronExperts(run),
    ...meshFlags(run),
    ...batchFlags(run),
    ...megatronStates(run),
    ...precisionFlags(run),
    ...recomputation,
  ]
  const notes = [...connectionNotes(run), ...megatronExpertNotes(run), ...wholeLossNotes(run, 'Megatron-LM')]
  return { flags: flags.map(String), notes }
}

function modelFlags(run: Run): readonly Flag[] {
  const { model, sequenceLength } = run
  const { learnedPositions, multiTokenLayers } = model
  return [
    ...['--num-layers', model.layers, '--hidden-size', model.dModel, '--ffn-hidden-size', model.dFf],
    ...megatronAttention(run),
    ...(model.gatedMlp ? ['--swiglu'] : []),
    ...(model.tiedEmbeddings ? [] : ['--untie-embeddings-and-output-weights']),
    ...['--position-embedding-type', learnedPositions > 0 ? 'learned_absolute' : 'rope'],
    ...['--max-position-embeddings', learnedPositions > 0 ? learnedPositions : sequenceLength],
    ...['--vocab-size', model.vocab],
    ...(multiTokenLayers > 0 ? ['--mtp-num-layers', multiTokenLayers] : []),
  ]
}

function meshFlags(run: Run): readonly Flag[] {
  const { tensor, context } = run.mesh
  const exchange = contextExchanges[run.contextLayout]
  return [
    ...['--tensor-model-parallel-size', tensor],
    ...(tensor > 1 ? ['--sequence-parallel'] : []),
    ...(context > 1 ? ['--context-parallel-size', context, '--cp-comm-type', exchange] : []),
    ...megatronPipeline(run),
    ...(pipelineRank(run) === 'inside' ? ['--use-tp-pp-dp-mapping'] : []),
  ]
}

function batchFlags({ sequenceLength, microbatch, globalBatch }: Run): readonly Flag[] {
  return [
    ...['--seq-length', sequenceLength, '--micro-batch-size', microbatch],
    ...['--global-batch-size', globalBatch],
  ]
}

function precisionFlags({ zeroStage, problem: { precision } }: Run): readonly Flag[] {
  if (precision.weights === 'fp32') return []
  const { gradients } = precision
  const accumulation = gradients === 'bf16' ? '--grad-reduce-in-bf16' : '--accumulate-allreduce-grads-in-fp32'
  return [
    '--bf16',
    ...(precision.compute === 'fp8' ? ['--fp8-format', 'hybrid'] : []),
    ...(megatronSharding[zeroStage] ? ['--megatron-fsdp-main-grads-dtype', gradients] : [accumulation]),
  ]
}

function connectionNotes({ mesh, zeroStage }: Run): readonly string[] {
  const variable = 'CUDA_DEVICE_MAX_CONNECTIONS'
  if (megatronSharding[zeroStage]) return [`Megatron-LM: leave ${variable} unset; Megatron-FSDP refuses 1.`]
  if (mesh.tensor * mesh.context === 1) return []
  return [
    `Megatron-LM: set ${variable}=1 on GPUs before Blackwell, as tensor and context parallelism need it.`,
  ]
}
