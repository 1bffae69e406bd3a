/**
 * Megatron-LM flags. Its ranks are tensor x context x data x pipeline, where data is what is left of the world size;
 * parameters and optimizer states are sharded over data and context together:
 *
 *   ZeRO-0   nothing
 *   ZeRO-1   --use-distributed-optimizer
 *   ZeRO-2   --use-megatron-fsdp, optim_grads
 *   ZeRO-3   --use-megatron-fsdp, optim_grads_params; our `data` is its number of distributed optimizer instances
 *            (HSDP)
 *
 * Experts are spread over ranks of data (experts.ts).
 *
 * Megatron-FSDP works with tensor and context parallelism, but not with a pipeline. Source: NVIDIA/Megatron-LM
 * core_v0.19.0 (version.ts), megatron/training/arguments.py, megatron/core/transformer/transformer_config.py,
 * docs/user-guide/features/megatron_fsdp.md and, on pipelines, the scripts of examples/multimodal_dev.
 */

import { compact } from '../../compact.ts'
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Launch } from '../launch.ts'
import { bridgeStart } from '../megatron-bridge/start.ts'
import { lastHostNote } from '../run/notes.ts'
import { pipelineRank } from '../run/rank-order.ts'
import { runRefusal } from '../run/rules.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import { type Start, shellWords, type Word } from '../start.ts'
import { megatronAttention, recurrenceNote } from './attention.ts'
import { activationFlags, detailNote, normFlags, positionFlags } from './details.ts'
import { megatronExpertRecipe } from './expert-recipe.ts'
import { megatronExpertNotes, megatronExperts } from './experts.ts'
import { cutsInPattern, hybridFlags, hybridProgram } from './hybrid.ts'
import { madeUpData, madeUpNotes } from './made-up-data.ts'
import { remainderNotes } from './moments.ts'
import { isFourBits } from './narrow-types.ts'
import { megatronPipeline } from './pipeline.ts'
import { megatronRecomputation } from './recomputation.ts'
import { megatronRules } from './rules.ts'
import { megatronSharding, megatronStates } from './states.ts'
import { megatronTensorOverlap } from './tensor-overlap.ts'
import { megatronVersion } from './version.ts'

export const contextExchanges = { gather: 'all_gather', ring: 'p2p', ulysses: 'a2a' } as const

export function megatron(run: Run): Launch<readonly string[]> {
  const recomputation = megatronRecomputation(run)
  const refusal = runRefusal(megatronRules, run)
  if (!recomputation || refusal.unsupported.length > 0) return refusal
  const layout = [
    ...meshFlags(run),
    ...batchFlags(run),
    ...megatronStates(run),
    ...precisionFlags(run),
    ...recomputation,
  ]
  const experts = megatronExperts(run)
  const recipe = megatronExpertRecipe(run)
  const overlap = megatronTensorOverlap(run, recipe.flags)
  const parallelism = [...experts.mesh, ...recipe.flags, ...layout]
  const told = [...parallelism, ...overlap.flags]
  const flags = [...modelFlags(run), ...experts.model, ...told]
  const notes = compact(
    connectionNote(run),
    remainderNotes(run),
    detailNote(run),
    recurrenceNote(run),
    megatronExpertNotes(run),
    madeUpNotes(run),
    recipe.notes,
    overlap.notes,
    lastHostNote(run),
  )
  const variables = variablesOf(run, recipe.environment)
  const start = megatronStart(run, flags, told, variables)
  // Without the tensor overlap, which cannot be overridden in recipes that have no comm_overlap.
  const bridge = cutsInPattern(run) ? null : bridgeStart(run, parallelism, variables)
  return {
    flags: flags.map(String),
    start,
    ...(bridge ? { more: { 'megatron-bridge': bridge } } : {}),
    notes,
  }
}

function variablesOf(run: Run, environment: readonly string[]): string {
  const set = compact(oneConnection(run) && 'CUDA_DEVICE_MAX_CONNECTIONS=1', environment)
  return set.map((one) => `${one} `).join('')
}

function megatronStart(run: Run, flags: readonly Word[], layout: readonly Word[], variables: string): Start {
  const own = shellWords([...flags, ...madeUpData(run)])
  const program = run.model.layerPattern === undefined ? 'pretrain_gpt.py' : hybridProgram
  return {
    version: megatronVersion,
    command: `${variables}${torchrun(run.problem.cluster)} ${program} ${own}`,
    files: [],
    parallelism: shellWords(layout),
  }
}

function modelFlags(run: Run): readonly Word[] {
  const { model } = run
  const { multiTokenLayers } = model
  return compact(
    model.layerPattern === undefined ? ['--num-layers', model.layers] : hybridFlags(run),
    ['--hidden-size', model.dModel, '--ffn-hidden-size', model.dFf],
    megatronAttention(run),
    activationFlags(run),
    normFlags(run),
    !model.biases && (model.gatedMlp || model.experts) && '--disable-bias-linear',
    !model.tiedEmbeddings && '--untie-embeddings-and-output-weights',
    positionFlags(run),
    ['--vocab-size', model.vocab],
    // Its defaults are 0.1; plans count no dropout masks.
    ['--hidden-dropout', '0.0', '--attention-dropout', '0.0'],
    '--cross-entropy-loss-fusion',
    multiTokenLayers > 0 && ['--mtp-num-layers', multiTokenLayers],
  )
}

function meshFlags(run: Run): readonly Word[] {
  const { tensor, context } = run.mesh
  const { residual } = run.problem.assumptions
  const exchange = contextExchanges[run.contextLayout]
  return compact(
    ['--tensor-model-parallel-size', tensor],
    tensor > 1 && residual !== 'whole' && '--sequence-parallel',
    context > 1 && ['--context-parallel-size', context, '--cp-comm-type', exchange],
    megatronPipeline(run),
    pipelineRank(run) === 'inside' && '--use-tp-pp-dp-mapping',
  )
}

function batchFlags({ sequenceLength, microbatch, globalBatch }: Run): readonly Word[] {
  return [
    ...['--seq-length', sequenceLength, '--micro-batch-size', microbatch],
    ...['--global-batch-size', globalBatch],
  ]
}

function precisionFlags({ zeroStage, problem }: Run): readonly Word[] {
  const { precision } = problem
  if (precision.weights === 'fp32') return []
  const { gradients } = precision
  const accumulation = gradients === 'bf16' ? '--grad-reduce-in-bf16' : '--accumulate-allreduce-grads-in-fp32'
  return compact(
    '--bf16',
    precision.compute === 'fp8' && fp8Recipe(problem),
    isFourBits(precision.compute) && ['--fp4-format', 'e2m1', '--fp4-recipe', 'nvfp4'],
    megatronSharding[zeroStage] ? ['--megatron-fsdp-main-grads-dtype', gradients] : [accumulation],
  )
}

/** mxfp8 on chips that scale blocks of 32 numbers; older ones scale tensors by their recent maxima, as in its example for Llama 3 on H100. */
function fp8Recipe({ cluster }: Run['problem']): readonly Word[] {
  const format = ['--fp8-format', 'hybrid', '--fp8-recipe']
  if (scalesBlocks(cluster.chip)) return [...format, 'mxfp8']
  return [...format, 'delayed', '--fp8-amax-history-len', 1024, '--fp8-amax-compute-algo', 'max']
}

/** On GPUs before Blackwell, tensor and context parallelism need kernels to run in order. */
function oneConnection({ mesh, zeroStage, problem: { cluster } }: Run): boolean {
  return mesh.tensor * mesh.context > 1 && !megatronSharding[zeroStage] && !scalesBlocks(cluster.chip)
}

function connectionNote(run: Run): string | null {
  const variable = 'CUDA_DEVICE_MAX_CONNECTIONS'
  if (megatronSharding[run.zeroStage]) return `Megatron-LM: leave ${variable} unset; Megatron-FSDP refuses 1.`
  if (!oneConnection(run)) return null
  return `Megatron-LM: ${variable}=1 is for GPUs before Blackwell, as tensor and context parallelism need it.`
}
