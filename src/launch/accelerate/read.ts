/**
 * Reads a config of Hugging Face's accelerate into the words of a request: FSDP, version 1 or 2, with replicas, tensor
 * and context as in its `parallelism_config`, or plain copies; DeepSpeed is read by its own. The model, the batch and the sequence length are up to
 * the training script, which is also why configs are only read here, not written. Source: huggingface/accelerate
 * 16cb6eb (1.15), src/accelerate/commands/launch.py, utils/dataclasses.py (FullyShardedDataParallelPlugin),
 * parallelism_config.py.
 */

import { compact } from '../../compact.ts'
import type { Fields } from '../../fields.ts'
import { unmixed } from '../long-names.ts'
import { type ClosedValues, misnamedAmong, onlyValue } from '../read/closed-values.ts'
import { type Keys, keysOf, partOf } from '../read/fields.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { replicaAxes } from '../read/replicas.ts'
import { chipsUnsaid } from '../read/world.ts'
import { fsdpValues, shardingOf } from './fsdp.ts'
import { readByDeepspeed } from './read-deepspeed.ts'

const accelerateVersion = '1.15'

export function readAccelerate(config: Fields, context: ReadingContext): LaunchReading {
  const keys = keysOf(config)
  const kind = keys.text('distributed_type', 'NO')
  const processes = keys.number('num_processes', 0)
  const fsdp = partOf(keys, 'fsdp_config')
  const parallel = parallelOf(partOf(keys, 'parallelism_config'))
  const world = processes > 0 ? processes : null
  const chips = world ?? context.chips
  const hardware = world === null ? {} : { chips: world }
  const mixed = misnamedAmong(mixtures, (key) => onlyValue(keys.text(key, '')))
  if (kind === 'DEEPSPEED') {
    const reading = readByDeepspeed(keys, partOf(keys, 'deepspeed_config'), chips, context)
    const { ignored, notUnderstood } = leftOver(keys.left(), isImmaterial)
    return {
      ...reading,
      faults: compact(reading.faults, unevenFault(processes, keys.number('num_machines', 1))),
      framework: 'accelerate',
      version: accelerateVersion,
      hardware,
      misnamed: [...(reading.misnamed ?? []), ...mixed],
      ignored: [...reading.ignored, ...ignored],
      notUnderstood: [...reading.notUnderstood, ...notUnderstood],
    }
  }
  const { tensor, context: parts, replicate } = parallel
  const left = (chips ?? 1) / (tensor * parts)
  const sharding = shardingOf(fsdp)
  const { said } = sharding
  const hybrid = sharding.hybrid && replicate === 1
  const data = hybrid ? Math.max(1, keys.number('num_machines', 1)) : replicate
  const shards = left / data
  const sharded = kind === 'FSDP' || (parallel.shard > 1 && kind !== 'MULTI_GPU')
  const zeroStage = sharded ? sharding.zeroStage : 0
  const precision = precisionOf(keys)
  const remat = fsdp.is('fsdp_activation_checkpointing') ? 'full' : 'none'
  const steps = keys.number('gradient_accumulation_steps', 0)
  const notes = compact(
    fsdp.is('fsdp_offload_params') && 'fsdp_offload_params is not counted: weights are on the chips',
    hybrid && `${sharding.name}: a copy on each of ${data} machines`,
  )
  const rest = keys.left()
  return {
    framework: 'accelerate',
    version: accelerateVersion,
    model: null,
    hardware,
    workload: { mode: 'train' },
    precision,
    assumptions: {},
    plan: {
      mesh: {
        ...(tensor > 1 ? { tensor } : {}),
        ...(parts > 1 ? { context: parts } : {}),
        ...replicaAxes(zeroStage, shards, data),
      },
      zeroStage,
      ...(parts > 1 ? { contextLayout: parallel.rotates ? 'ring' : 'gather' } : {}),
      ...(steps > 0 ? { microbatches: steps } : {}),
      rematerialization: remat,
    },
    misnamed: [
      ...mixed,
      ...misnamedAmong(rotations, () => [parallel.strategy]),
      ...misnamedAmong({ [`fsdp_config.${said.key}`]: fsdpValues[said.key] }, () =>
        sharded ? [said.value] : [],
      ),
    ],
    notes,
    ...leftOver([...rest, ...fsdp.left().map((key) => `fsdp_config.${key}`)], isImmaterial),
    faults: compact(
      keys.faults,
      !kinds.includes(kind) && `distributed_type ${kind} is not read; FSDP, MULTI_GPU and DEEPSPEED are`,
      chips === null && chipsUnsaid('num_processes'),
      unevenFault(processes, keys.number('num_machines', 1)),
      !Number.isInteger(shards) &&
        `tensor ${tensor} x context ${parts} x replicas ${data} do not divide the ${chips} GPUs`,
      parallel.shard > 1 &&
        parallel.shard !== shards &&
        Number.isInteger(shards) &&
        `dp_shard_size ${parallel.shard} x ${(chips ?? 1) / shards} others are not the ${chips} GPUs`,
    ),
  }
}

const mixtures: ClosedValues = { mixed_precision: ['no', 'fp16', 'bf16', 'fp8'] }
const rotations: ClosedValues = { parallelism_config_cp_comm_strategy: ['allgather', 'alltoall'] }

const kinds = ['FSDP', 'MULTI_GPU', 'NO']

function parallelOf(keys: Keys) {
  const size = (name: string) =>
    Math.max(keys.number(`parallelism_config_${name}`, 1), keys.number(name, 1), 1)
  const strategy = keys.text(
    'parallelism_config_cp_comm_strategy',
    keys.text('cp_comm_strategy', 'allgather'),
  )
  return {
    tensor: size('tp_size'),
    context: size('cp_size') * size('sp_size'),
    replicate: size('dp_replicate_size'),
    shard: size('dp_shard_size'),
    strategy,
    rotates: strategy === 'alltoall',
  }
}

/** As many processes start on each machine (accelerate/utils/launch.py, nproc_per_node). */
function unevenFault(processes: number, machines: number): string | null {
  if (processes === 0 || machines < 1 || processes % machines === 0) return null
  return `num_processes ${processes} are not as many on each of num_machines ${machines}: accelerate starts ${Math.floor(processes / machines)} on each, and waits for the others`
}

/** Weights are kept in fp32 and cast for use, and gradients are reduced in fp32. */
function precisionOf(keys: Keys): Readonly<Record<string, string>> {
  const mixed = keys.text('mixed_precision', 'no')
  if (mixed === 'no') return unmixed
  return { weights: 'bf16', compute: mixed === 'fp8' ? 'fp8' : 'bf16', gradients: 'fp32' }
}

const isImmaterial = beginningWith(`
  compute_environment debug downcast enable_cpu machine_rank main_ num_ rdzv same_network tpu use_cpu
  fsdp_config. dynamo fp8_config gpu_ids mpirun command sagemaker deepspeed_config megatron
`)
