/**
 * What a configuration of MaxText says, in the words of a request: the inverse of config.ts, with the same source. Defaults are those of its
 * base.yml: what is left of a slice is fsdp, what is left of the slices data, 12 sequences of 2048 a chip, everything recomputed. Behind
 * switches nodes are its slices.
 */

import { type Fields, isFields } from '../../fields.ts'
import type { Chip } from '../../hardware/chip.ts'
import { type Keys, keysOf } from '../read/fields.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { maxtextVersion } from './keys.ts'
import { readMaxtextModel } from './read-model.ts'
import { readMaxtextPolicy } from './recomputation.ts'

/** Ours, and what MaxText calls each; the last is of the experts. */
const axes = ['data', 'pipeline', 'fsdp', 'context', 'tensor', 'expert'] as const

/** Of a mesh that is not one of ours. */
const otherAxes = [
  ...['fsdp_transpose', 'sequence', 'context_autoregressive', 'tensor_transpose', 'tensor_sequence'],
  ...['autoregressive', 'diloco', 'attn_dp', 'attn_dp_expert'],
]

const node = 8

export function readMaxtext(config: Fields, context: ReadingContext): LaunchReading {
  const keys = keysOf(config)
  const { mesh, chips, faults } = meshOf(keys, context)
  const { model, named } = readMaxtextModel(keys)
  const kind = kindOf(keys)
  const sharded = mesh.fsdp * mesh.context * mesh.expert > 1
  const zeroStage = keys.is('shard_optimizer_over_data') && !sharded ? 1 : sharded ? 3 : 0
  const { batchSequences, microbatches } = batchOf(keys, chips, mesh.pipeline)
  const strategy = keys.text('context_parallel_strategy', 'all_gather')
  const remat = readMaxtextPolicy(keys)
  const { precision, assumptions } = numbersOf(keys)
  const optimizer = keys.text('opt_type', 'adamw')
  const sequenceLength = keys.number('max_target_length', 2048)
  const cut = pipelineOf(keys, mesh.pipeline)
  const left = keys.left().filter((key) => !isNothing(key, config[key]))
  return {
    framework: 'maxtext',
    version: maxtextVersion,
    model,
    ...(named === null ? {} : { named }),
    hardware: {},
    ...(kind ? { kind } : {}),
    workload: {
      mode: 'train',
      ...(chips === null ? {} : { batchSequences }),
      sequenceLength,
      optimizer: /^adam/.test(optimizer) ? 'adamw' : optimizer,
    },
    precision,
    assumptions,
    plan: {
      mesh,
      zeroStage,
      ...(Number.isInteger(microbatches) ? { microbatches } : {}),
      ...(mesh.context > 1 ? { contextLayout: layouts[strategy] ?? 'gather' } : {}),
      ...(mesh.pipeline > 1 ? { pipelineSchedule: 'gpipe' } : {}),
      ...(remat.policy === null ? {} : { rematerialization: remat.policy }),
    },
    notes: [...remat.notes, ...cut],
    ...leftOver(left, isImmaterial),
    faults: [...keys.faults, ...faults],
  }
}

const layouts: Readonly<Record<string, string>> = { all_gather: 'gather', ring: 'ring', ulysses: 'ulysses' }

/** The sizes of axes within slices, or across them. */
interface Level {
  readonly sizes: Readonly<Partial<Record<(typeof axes)[number], number>>>
  /** As the keys say them. */
  readonly written: string
  /** An axis is what the others leave. */
  readonly open: boolean
  /** Chips of a slice, or slices, that the keys take; null where an open axis takes the rest of them. */
  readonly takes: number | null
}

function levelOf(keys: Keys, prefix: 'ici' | 'dcn', open: string, all: number): Level {
  const own = axes.map((axis) => {
    const name = `${prefix}_${axis}_parallelism`
    return { axis, name, size: keys.number(name, axis === open ? -1 : 1) }
  })
  const product = own.reduce((sum, { size }) => (size > 0 ? sum * size : sum), 1)
  return {
    sizes: Object.fromEntries(own.map(({ axis, size }) => [axis, size > 0 ? size : all / product])),
    written: own.flatMap(({ name, size }) => (size > 1 ? [`${name} ${size}`] : [])).join(' x '),
    open: own.some(({ size }) => size <= 0),
    takes: own.some(({ size }) => size <= 0) && Number.isInteger(all / product) ? null : product,
  }
}

/** What of a mesh is not the chips of the request, a level at a time. */
function misfits(
  levels: readonly (readonly [level: Level, all: number, of: string])[],
  unit: string,
): readonly string[] {
  const [[, inner] = [null, 1], [, outer] = [null, 1]] = levels
  const chips = inner * outer
  if (!Number.isInteger(inner)) return [`the ${chips} chips of the request are not whole ${unit}s`]
  const request = `the ${chips} chips of the request are ${outer} ${unit}${outer === 1 ? '' : 's'} of ${inner}`
  return levels
    .filter(([{ takes }, all]) => takes !== null && takes !== all)
    .map(
      ([{ written, open, takes }, , of]) =>
        `${written || 'axes of 1'} ${open ? 'divides not' : 'takes'} ${takes} ${of}, and ${request}`,
    )
}

/** Null where the file leaves it to the defaults. */
function kindOf(keys: Keys): Chip['kind'] | null {
  const hardware = keys.text('hardware', '')
  return /^gpu/.test(hardware) ? 'gpu' : hardware === 'tpu' ? 'tpu' : null
}

function meshOf(keys: Keys, { chips, slices }: ReadingContext) {
  const gpu = kindOf(keys) === 'gpu'
  const unit = gpu ? 'node' : 'slice'
  const outer = gpu ? Math.ceil((chips ?? 1) / node) : slices
  const inner = (chips ?? 1) / outer
  const [ici, dcn] = [levelOf(keys, 'ici', 'fsdp', inner), levelOf(keys, 'dcn', 'data', outer)]
  const size = (axis: (typeof axes)[number]) => (ici.sizes[axis] ?? 1) * (dcn.sizes[axis] ?? 1)
  const mesh = {
    ...{ data: size('data'), fsdp: size('fsdp'), tensor: size('tensor') },
    ...{ context: size('context'), expert: size('expert'), pipeline: size('pipeline') },
  }
  const others = otherAxes.filter((axis) =>
    ['ici', 'dcn'].some((prefix) => keys.number(`${prefix}_${axis}_parallelism`, 1) > 1),
  )
  const all = Object.values(mesh).reduce((product, own) => product * own, 1)
  const whole = Object.values(mesh).every((own) => Number.isInteger(own) && own > 0)
  return {
    mesh,
    chips,
    faults:
      chips === null
        ? ['how many chips there are is said by hardware alone']
        : [
            ...(whole && all === chips
              ? []
              : misfits(
                  [
                    [ici, inner, `chips of each ${unit}`],
                    [dcn, outer, `${unit}s`],
                  ],
                  unit,
                )),
            ...others.map((axis) => `the axis ${axis} is not counted`),
          ],
  }
}

/** A pipeline takes all of its microbatches in one pass, of which it has as many as stages unless told. */
function batchOf(keys: Keys, chips: number | null, pipeline: number) {
  const perDevice = keys.number('per_device_batch_size', 12)
  const accumulation = keys.number('gradient_accumulation_steps', 1)
  const piped = keys.number('num_pipeline_microbatches', -1)
  const sequences = Math.trunc((chips ?? 0) * perDevice + 1e-9)
  return {
    batchSequences: sequences * accumulation,
    microbatches: pipeline > 1 ? (piped > 0 ? piped : pipeline) * accumulation : accumulation,
  }
}

function pipelineOf(keys: Keys, pipeline: number): readonly string[] {
  const repeats = keys.number('num_pipeline_repeats', -1)
  keys.number('num_layers_per_pipeline_stage', 1)
  if (pipeline === 1 || repeats === 1) return []
  return ['num_pipeline_repeats: the circular pipeline is counted with one repeat']
}

/** Weights are kept in fp32, which is the master copy, unless in bf16; moments are kept as they are. */
function numbersOf(keys: Keys) {
  const type = (name: string, otherwise: string) => types[keys.text(name, otherwise)] ?? 'bf16'
  const compute = type('dtype', 'bfloat16')
  const kept = type('weight_dtype', 'float32')
  const quantised = keys.text('quantization', '')
  const narrow = /^(fp8|nanoo_fp8|te_.*fp8)/.test(quantised) ? 'fp8' : /^int8/.test(quantised) ? 'int8' : null
  const pieces = keys.number('num_vocab_tiling', 1)
  return {
    precision: {
      weights: compute,
      compute: narrow ?? compute,
      gradients: type('grad_dtype', 'float32'),
      optimizer: kept,
    },
    assumptions: {
      ...(kept === 'bf16' ? { masterWeights: false } : {}),
      ...(keys.is('optimizer_memory_host_offload') ? { optimizerOnHost: true } : {}),
      ...(pieces > 1 ? { lossChunks: pieces } : {}),
    },
  }
}

const types: Readonly<Record<string, string>> = { bfloat16: 'bf16', float32: 'fp32', float16: 'bf16' }

/** A switch that is off, or nothing in a list. */
function isNothing(key: string, value: unknown): boolean {
  if (isFields(value)) return false
  return /_parallelism$/.test(key) && Number(value) === 1
}

/** Names, places, logs, data, rates, kernels that are taken to be there, and what other keys say already. */
const starts = [
  'run_name',
  'base_output',
  'base_config',
  'dataset',
  'tokenizer',
  'steps',
  'enable_',
  'hardware',
  'attention',
  'max_segments',
  'async_',
  'log',
  'profiler',
  'skip_first',
  'gcs_',
  'reuse_',
  'use_iota',
  'scan_layers',
  'hf_',
  'eval',
  'checkpoint',
  'save_',
  'learning',
  'warmup',
  'adam',
  'gradient_clipping',
  'opt_',
  'cosine',
  'rope',
  'normal',
  'use_',
  'sa_',
  'megablox',
  'sparse_',
  'capacity',
  'allow_split',
  'tile_',
  'xla_',
  'monitor',
  'metrics',
  'jax_',
  'compile',
  'libtpu',
  'vertex',
  'upload',
  'packing',
  'grain',
  'data_',
  'load_',
  'init_',
  'dropout',
  'enable_dropout',
  'logits_dot',
  'float32',
  'final_',
  'attn_',
  'local_rope',
  'image',
  'num_slices',
  'context_parallel_load',
  'model_call',
  'override',
  'inhomogeneous',
  'fused',
  'vision',
  'shardy',
  'stack',
  'goodput',
  'ragged',
] as const

const isImmaterial = beginningWith(starts)
