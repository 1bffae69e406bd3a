/**
 * Reads a config of DeepSpeed into the words of a request. DeepSpeed shards over all remaining ranks: optimizer states
 * (stage 1), also gradients (2), also weights (3), in groups of `mics_shard_size` if that is set. Of the three batch
 * sizes two determine the third. A value of `auto` is filled in by the trainer that reads the config, and left open
 * here. The model and the sequence length are up to the training script, as is the engine that runs the model, which is
 * why configs are only read here, not written. Source: deepspeedai/DeepSpeed edaa722 (0.19.6),
 * deepspeed/runtime/{config,constants}.py, zero/config.py, and runtime/engine.py for the types of gradients.
 */

import { compact } from '../../compact.ts'
import { type Fields, isFields } from '../../fields.ts'
import { unmixed } from '../long-names.ts'
import { misnamedAmong, onlyValue } from '../read/closed-values.ts'
import { type Keys, keysOf, partOf, textOf } from '../read/fields.ts'
import { beginningWith, leftOver, wordsOf } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { replicaAxes } from '../read/replicas.ts'
import { chipsUnsaid } from '../read/world.ts'

const deepspeedVersion = '0.19.6'

export function readDeepspeed(config: Fields, { chips }: ReadingContext): LaunchReading {
  const keys = keysOf(config)
  const part = (name: string) => partOf(keys, name)
  const zero = part('zero_optimization')
  const [bf16, fp16] = [part('bf16'), part('fp16')]
  const stage = zero.number('stage', 0)
  const tensor = part('tensor_parallel').number('autotp_size', 1)
  const context = keys.number('sequence_parallel_size', 1)
  const ranks = (chips ?? 1) / (Math.max(1, tensor) * Math.max(1, context))
  const shards = zero.number('mics_shard_size', -1)
  const group = stage === 3 && shards > 0 ? shards : ranks
  const batch = batchOf(keys, ranks)
  const half = bf16.is('enabled') || fp16.is('enabled')
  // The trainer that reads the config fills the type in.
  const open = !half && [config.bf16, config.fp16].some((own) => isFields(own) && own.enabled === 'auto')
  const optimizer = part('optimizer').text('type', 'AdamW')
  const sections = Object.entries({ zero_optimization: zero, bf16, fp16 })
  const notes = notesOf(zero, part('activation_checkpointing'), fp16.is('enabled'))
  const assumptions =
    offloads(zero.value('offload_optimizer')) || zero.is('cpu_offload') ? { optimizerOnHost: true } : {}
  const accumulated = partOf(keys, 'data_types').text('grad_accum_dtype', '')
  const gradients = gradientsOf(accumulated, half || open, stage)
  const ownLeft = leftOver(keys.left(), isImmaterial)
  const left = leftOver(sections.flatMap(named((own) => own.left())), isDetail)
  const wrong = !Number.isInteger(ranks) || !Number.isInteger(ranks / group)
  return {
    framework: 'deepspeed',
    version: deepspeedVersion,
    model: null,
    hardware: {},
    workload: {
      mode: 'train',
      ...(batch.sequences === null || chips === null ? {} : { batchSequences: batch.sequences }),
      ...(/^(one.?bit)?adam/i.test(optimizer)
        ? { optimizer: 'adamw' }
        : { optimizer: optimizer.toLowerCase() }),
    },
    precision: half ? { weights: 'bf16', compute: 'bf16', gradients } : open ? { gradients } : unmixed,
    assumptions,
    plan: {
      mesh: {
        ...(tensor > 1 ? { tensor } : {}),
        ...(context > 1 ? { context } : {}),
        ...replicaAxes(stage, group, ranks / group),
      },
      zeroStage: stage,
      ...(context > 1 ? { contextLayout: 'ulysses' } : {}),
      ...(batch.accumulation === null ? {} : { microbatches: batch.accumulation }),
    },
    notes: compact(
      notes,
      open &&
        'enabled of bf16 and fp16 is auto, which the trainer fills in: bf16, unless the request says another type',
    ),
    ignored: [...ownLeft.ignored, ...left.ignored],
    notUnderstood: [...ownLeft.notUnderstood, ...left.notUnderstood],
    known: [...keys.known(), ...sections.flatMap(named((own) => own.known()))],
    refuses: true,
    misnamed: misnamedAmong(types, () => onlyValue(accumulated)),
    faults: compact(
      keys.faults,
      zero.faults,
      // deepspeed/runtime/config.py, _initialize_params
      bf16.is('enabled') && fp16.is('enabled') && 'DeepSpeed takes bf16 or fp16: both are enabled',
      ![0, 1, 2, 3].includes(stage) && `zero_optimization.stage ${stage} is none of 0 to 3`,
      chips === null
        ? [chipsUnsaid()]
        : compact(
            wrong &&
              `groups of ${group} x tensor ${tensor} x sequence ${context} do not make up the ${chips} GPUs`,
            batch.faults,
          ),
    ),
  }
}

/** train_batch_size = micro x accumulation x ranks: what is missing of the three follows from the others, or is left open. */
function batchOf(keys: Keys, ranks: number) {
  const said = (name: string) => {
    const own = keys.number(name, 0)
    return own > 0 ? own : null
  }
  const all = said('train_batch_size')
  const micro = said('train_micro_batch_size_per_gpu')
  const steps = said('gradient_accumulation_steps')
  const accumulation =
    steps ?? (all !== null && micro !== null ? all / (micro * ranks) : micro === null ? null : 1)
  const sequences = all ?? (micro === null ? null : micro * (accumulation ?? 1) * ranks)
  const product = micro !== null && accumulation !== null ? micro * accumulation * ranks : sequences
  const uneven = sequences !== product || (accumulation !== null && !Number.isInteger(accumulation))
  return {
    sequences,
    accumulation: uneven ? null : accumulation,
    faults: uneven
      ? [
          `train_batch_size ${sequences} is not train_micro_batch_size_per_gpu ${micro} x gradient_accumulation_steps ${accumulation} x ${ranks} ranks`,
        ]
      : [],
  }
}

/** Keys of a section, by names that have the section in front. */
function named(keys: (own: Keys) => readonly string[]) {
  return ([section, own]: readonly [string, Keys]) => keys(own).map((key) => `${section}.${key}`)
}

/** Names of types, with a library's name in front or without (DtypeEnum of runtime/config.py). */
const wide = wordsOf('fp32 float32 float torch.float32')
const types = {
  'data_types.grad_accum_dtype': [
    ...wide,
    ...wordsOf('fp16 float16 half torch.float16 bf16 bfloat16 torch.bfloat16 int8 torch.int8'),
  ],
}

/** Gradients are accumulated in fp32 by default if they are not sharded (stages 0 and 1), otherwise in the type of the weights. */
function gradientsOf(told: string, half: boolean, stage: number): string {
  if (told) return wide.includes(told) ? 'fp32' : 'bf16'
  return half && stage >= 2 ? 'bf16' : 'fp32'
}

function offloads(place: unknown): boolean {
  return isFields(place) && ['cpu', 'nvme'].includes(textOf(place.device))
}

function notesOf(zero: Keys, checkpointing: Keys, fp16: boolean): readonly string[] {
  const nvme = [zero.value('offload_optimizer'), zero.value('offload_param')].some(
    (place) => isFields(place) && place.device === 'nvme',
  )
  const quantised = zero.is('zero_quantized_weights') || zero.is('zero_quantized_gradients')
  checkpointing.left()
  return compact(
    "what is recomputed is the script's: it is chosen",
    offloads(zero.value('offload_param')) &&
      'zero_optimization.offload_param is not counted: weights are on the chips',
    nvme && 'what is on NVMe is counted as in the memory of the host',
    zero.number('zero_hpz_partition_size', 1) > 1 &&
      'zero_hpz_partition_size is not counted: weights have no second copy in a node',
    quantised && 'quantised communication of ZeRO++ is not counted',
    fp16 && 'fp16 is counted as bf16, whose numbers are as wide',
  )
}

const isImmaterial = beginningWith(`
  steps_per_print wall_clock gradient_clipping prescale scheduler zero_allow zero_force communication
  tensorboard wandb csv_monitor comet flops_profiler comms_logger dump_state memory_breakdown checkpoint
  gradient_predivide sparse_gradients amp dataloader seq_parallel compile elasticity autotuning disable_
  torch_ monitor hybrid_engine use_data load_universal data_efficiency timers aio nebula curriculum
`)

/** Buckets, thresholds and scales, which affect neither the layout nor its cost as it is counted. */
function isDetail(key: string): boolean {
  return !/\.(enable_.*parallel|parallel|experts?_)/.test(key)
}
