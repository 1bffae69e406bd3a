/**
 * What a command line or a script of Megatron-LM says, in the words of a request. Its ranks are tensor x context x data x pipeline, data
 * being what is left of the world and experts spread over data; defaults are its own. The inverse of flags.ts, with the same source.
 */

import type { Fields } from '../../fields.ts'
import { leftOver } from '../read/left-over.ts'
import { type Options, optionsOf } from '../read/options.ts'
import type { LaunchReading } from '../read/reading.ts'
import { readScript } from '../read/shell.ts'
import { worldOf } from '../read/world.ts'
import { isImmaterial } from './immaterial.ts'
import { readMegatronModel } from './read-model.ts'
import { type OverlapRead, readOverlap } from './read-overlap.ts'
import { readMegatronStages } from './read-pipeline.ts'
import { rematerializationOf } from './read-recomputation.ts'
import { megatronVersion } from './version.ts'

/** `chips` as the request has them; none where it leaves them to torchrun. `layers` of a model that it does not say, `userBuffers` of the GPUs. */
export function readMegatron(
  written: string | readonly string[],
  chips: number | null,
  layers: number | null = null,
  userBuffers = true,
): LaunchReading {
  const script = typeof written === 'string' ? readScript(written) : { commands: [written], notes: [] }
  const { launcher, own } = commandOf(script.commands)
  const world = worldOf(optionsOf(launcher)) ?? worldOf(optionsOf(own))
  const options = optionsOf(own)
  // What is said of a launcher and cannot be read is no fault: the request says how many chips there are.
  const { model, faults } = readMegatronModel(options)
  const optimizer = optimizerOf(options)
  const known = chips ?? world
  const laidOut =
    known === null ? null : planOf(options, known, model ? Number(model.layers) : layers, userBuffers)
  const sequenceLength = options.whole('--seq-length', '--encoder-seq-length')
  const batchSequences = options.whole('--global-batch-size')
  const precision = precisionOf(options)
  const { assumptions, notes } = assumedOf(options, model)
  const left = [...options.left()]
  return {
    framework: 'megatron',
    version: megatronVersion,
    model,
    hardware: world === null ? {} : { chips: world },
    workload: {
      mode: 'train',
      ...(batchSequences === null ? {} : { batchSequences }),
      ...(sequenceLength === null ? {} : { sequenceLength }),
      ...(optimizer === null ? {} : { optimizer }),
    },
    precision,
    assumptions,
    costed: laidOut?.costed ?? {},
    lacking: laidOut?.lacking ?? {},
    plan: laidOut?.plan ?? {},
    notes: [...script.notes, ...notes, ...(laidOut?.notes ?? [])],
    ...leftOver(left, isImmaterial, options.known()),
    faults: [
      ...options.faults,
      ...faults,
      ...(laidOut
        ? laidOut.faults
        : ['how many GPUs there are is said neither by hardware.chips nor by --nnodes and --nproc-per-node']),
    ],
  }
}

/** The last command that has options of Megatron-LM, and what stands before the Python file: torchrun's own. */
function commandOf(commands: readonly (readonly string[])[]): {
  readonly launcher: readonly string[]
  readonly own: readonly string[]
} {
  const isOption = (word: string) =>
    /^--(num-layers|tensor-model-parallel-size|micro-batch-size|global-batch-size|seq-length)\b/.test(word)
  const words = commands.findLast((command) => command.some(isOption)) ?? commands.flat()
  const file = words.findIndex((word) => /\.py$/.test(word))
  const flags = words.findIndex((word) => word.startsWith('--'))
  return file < 0
    ? { launcher: [], own: words.slice(Math.max(0, flags)) }
    : { launcher: words.slice(0, file), own: words.slice(file + 1) }
}

interface LaidOut {
  readonly plan: Fields
  readonly costed: OverlapRead['costed']
  readonly lacking: OverlapRead['lacking']
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

function planOf(options: Options, chips: number, layers: number | null, userBuffers: boolean): LaidOut {
  const tensor = options.whole('--tensor-model-parallel-size') ?? 1
  const pipeline = options.whole('--pipeline-model-parallel-size') ?? 1
  const context = options.whole('--context-parallel-size') ?? 1
  const expert = options.whole('--expert-model-parallel-size') ?? 1
  const expertTensor = options.whole('--expert-tensor-parallel-size') ?? tensor
  const sharding = shardingOf(options)
  const stages = readMegatronStages(options, pipeline, layers)
  const exchange = options.text('--cp-comm-type') ?? 'p2p'
  const microbatch = options.whole('--micro-batch-size')
  const batch = options.whole('--global-batch-size')
  const sequenceParallel = options.has('--sequence-parallel')
  const notes = [
    ...(tensor > 1 && !sequenceParallel
      ? [
          'counted as with --sequence-parallel, which tensor parallelism has here; assumptions.residual "whole" counts without',
        ]
      : []),
    ...(context > 1 && !(exchange in contextLayouts)
      ? [`--cp-comm-type ${exchange} is not counted: another exchange is chosen`]
      : []),
  ]
  const replicas = chips / (tensor * pipeline * context)
  if (!Number.isInteger(replicas)) {
    return {
      plan: { mesh: { tensor, pipeline, context } },
      costed: {},
      lacking: {},
      notes,
      faults: [
        ...stages.faults,
        `tensor ${tensor} x pipeline ${pipeline} x context ${context} do not divide the ${chips} GPUs`,
      ],
    }
  }
  const { zeroStage, instances } = sharding
  const shards = replicas / expert / (zeroStage === 3 ? instances : 1)
  const faults = [
    ...stages.faults,
    ...(expertTensor === tensor || expert === 1
      ? []
      : [
          `--expert-tensor-parallel-size ${expertTensor} beside --tensor-model-parallel-size ${tensor} is not counted: experts are split as the rest of a layer is`,
        ]),
    ...(Number.isInteger(shards)
      ? []
      : [
          `the ${replicas} data-parallel ranks do not hold ${expert} ranks of experts: those that span context or tensor are not counted`,
        ]),
  ]
  const microbatches = batch !== null && microbatch !== null ? batch / (microbatch * replicas) : null
  const uneven = microbatches !== null && !Number.isInteger(microbatches)
  const rematerialization = rematerializationOf(
    options,
    stages.virtualStages,
    stages.stageLayers ?? (layers === null ? null : [layers]),
  )
  const plan = {
    mesh: {
      tensor,
      pipeline,
      context,
      expert,
      ...(zeroStage === 3 ? { fsdp: shards, data: instances } : { data: shards }),
    },
    zeroStage,
    ...(context > 1 && exchange in contextLayouts ? { contextLayout: contextLayouts[exchange] } : {}),
    ...(microbatches === null || uneven ? {} : { microbatches }),
    ...(pipeline > 1
      ? {
          pipelineSchedule: stages.virtualStages > 1 ? 'interleaved-1f1b' : '1f1b',
          virtualStages: stages.virtualStages,
        }
      : {}),
    ...(stages.stageLayers ? { stageLayers: stages.stageLayers } : {}),
    ...rematerialization.field,
  }
  const overlap = readOverlap(options, { tensor, pipeline, context, replicas, zeroStage }, userBuffers)
  return {
    plan,
    costed: overlap.costed,
    lacking: overlap.lacking,
    notes: [...notes, ...overlap.notes, ...rematerialization.notes],
    faults: [
      ...faults,
      ...(uneven
        ? [
            `--global-batch-size ${batch} is not divided by --micro-batch-size ${microbatch} times the ${replicas} data-parallel ranks`,
          ]
        : []),
    ],
  }
}

const contextLayouts: Readonly<Record<string, string>> = {
  p2p: 'ring',
  a2a: 'ulysses',
  all_gather: 'gather',
  allgather: 'gather',
}

const strategies: Readonly<Record<string, number>> = {
  no_shard: 0,
  optim: 1,
  optim_grads: 2,
  optim_grads_params: 3,
}

function shardingOf(options: Options): { readonly zeroStage: number; readonly instances: number } {
  const strategy = options.text('--data-parallel-sharding-strategy') ?? 'optim_grads_params'
  const instances = options.whole('--num-distributed-optimizer-instances') ?? 1
  const optimizer = options.has('--use-distributed-optimizer')
  if (options.has('--use-megatron-fsdp', '--use-custom-fsdp'))
    return { zeroStage: strategies[strategy] ?? 3, instances }
  if (options.has('--use-torch-fsdp2')) return { zeroStage: 3, instances }
  return { zeroStage: optimizer ? 1 : 0, instances: 1 }
}

function precisionOf(options: Options): Readonly<Record<string, string>> {
  const fp8 = options.text('--fp8-format', '--fp8') !== null
  const reduced =
    options.has('--grad-reduce-in-bf16') || options.text('--megatron-fsdp-main-grads-dtype') === 'bf16'
  const half = options.has('--bf16') || options.has('--fp16')
  if (!half) return { weights: 'fp32', compute: 'fp32', gradients: 'fp32' }
  return { weights: 'bf16', compute: fp8 ? 'fp8' : 'bf16', gradients: reduced ? 'bf16' : 'fp32' }
}

function optimizerOf(options: Options): string | null {
  const momentum = options.number('--sgd-momentum') ?? 0.9
  const name = options.text('--optimizer') ?? 'adam'
  if (name === 'adam') return 'adamw'
  if (name === 'sgd') return momentum === 0 ? 'sgd' : 'momentum'
  return name
}

function assumedOf(
  options: Options,
  model: Fields | null,
): { readonly assumptions: Readonly<Record<string, boolean>>; readonly notes: readonly string[] } {
  const dispatcher = options.text('--moe-token-dispatcher-type') ?? 'allgather'
  const spread = (options.whole('--expert-model-parallel-size') ?? 1) > 1
  const assumptions = {
    ...(options.has('--optimizer-cpu-offload') ? { optimizerOnHost: true } : {}),
    ...(spread && dispatcher !== 'allgather' ? { hierarchicalDispatch: dispatcher === 'flex' } : {}),
  }
  const notes = [
    ...(options.text('--megatron-fsdp-grad-comm-dtype') === 'bf16' &&
    options.text('--megatron-fsdp-main-grads-dtype') !== 'bf16'
      ? ['--megatron-fsdp-grad-comm-dtype bf16: gradients are counted as reduced in fp32, as they are kept']
      : []),
    ...dropoutNotes(options),
    ...(options.has('--fp16') ? ['--fp16 is counted as --bf16, whose numbers are as wide'] : []),
    ...(options.has('--cuda-graph-impl') || options.has('--overlap-moe-expert-parallel-comm')
      ? [
          'CUDA graphs and what overlaps of the exchange of experts are counted as assumptions.expertRecipe has them, not as these options do',
        ]
      : []),
    ...(spread && dispatcher === 'allgather'
      ? ['--moe-token-dispatcher-type allgather is counted as an AllToAll']
      : []),
    ...(model && !('vocab' in model)
      ? ['the vocabulary is not said by --vocab-size: the model is that of the request']
      : []),
  ]
  return { assumptions, notes }
}

/** One that is left to its default is passed over, as published commands leave it. */
function dropoutNotes(options: Options): readonly string[] {
  const stated = ['--hidden-dropout', '--attention-dropout'].flatMap((name) => {
    const share = options.text(name)
    return Number(share) > 0 ? [`${name} ${share}`] : []
  })
  return stated.length > 0
    ? [`${stated.join(' ')}: dropout is not counted, neither its time nor its masks`]
    : []
}
