/**
 * Reads a torchtitan config into the words of a request: the inverse of config.ts, with the same source (v0.2.2).
 * Defaults are torchtitan's: a local batch of 8 sequences of 2048, all remaining ranks shard, every second layer is
 * recomputed.
 */

import { compact } from '../../../compact.ts'
import { type Fields, ownValue } from '../../../fields.ts'
import { typeOfLongName } from '../../long-names.ts'
import { misnamedAmong, onlyValue } from '../../read/closed-values.ts'
import { type Keys, keysOfSections } from '../../read/fields.ts'
import { inverse } from '../../read/inverse.ts'
import { leftOver } from '../../read/left-over.ts'
import type { LaunchReading } from '../../read/reading.ts'
import { replicaAxes } from '../../read/replicas.ts'
import { chipsUnsaid } from '../../read/world.ts'
import { readExpertRanks } from '../../run/experts.ts'
import { torchtitanRotations } from '../degrees.ts'
import { isUnread, modelOfFlavor } from '../named-models.ts'
import { torchtitanSchedules } from '../pipeline.ts'
import { torchtitanVersion } from '../version.ts'
import { batchOf } from './batch.ts'
import { isImmaterial } from './immaterial.ts'
import { readRecomputation } from './recomputation.ts'
import { readStages } from './stages.ts'
import {
  converterNotes,
  flavorsOf,
  misnamedSelection,
  multipliesInEight,
  refusedStages,
  torchtitanValues,
  unregisteredConverters,
  unregisteredFlavor,
  unregisteredOptimizer,
} from './values.ts'

/** `config` is the parsed file; `chips` are those of the request. */
export function readTorchtitan(config: Fields, chips: number | null): LaunchReading {
  const keys = keysOfSections(config)
  const [name, flavor] = [keys.text('model.name', 'llama3'), keys.text('model.flavor', 'debugmodel')]
  const known = modelOfFlavor(name, flavor)
  const layers = known.model ? Number(known.model.layers) : null
  const { mesh, ranks, zeroStage, replicas, ...laidOut } = meshOf(keys, chips)
  const { context, pipeline } = mesh
  const schedule = keys.text('parallelism.pipeline_parallel_schedule', '1F1B')
  const named = ownValue(schedules, schedule)
  const stages = readStages(keys, pipeline, layers, named === 'interleaved-1f1b')
  const whole = layers !== null && pipeline === 1 ? [layers] : null
  const converters = keys.value('model.converters')
  const converted = Array.isArray(converters) ? converters.map(String) : []
  const precision = precisionOf(keys, multipliesInEight(converted))
  const backend = keys.text('parallelism.expert_parallel_comm_backend', 'standard')
  const rematerialization = readRecomputation(keys, stages.value?.stageLayers ?? whole, {
    ...{ name, flavor, tensor: mesh.tensor },
    fp8: precision.compute === 'fp8',
    deepEp: ranks > 1 && backend === 'deepep',
  })
  const { batchSequences, microbatches, follows, uncounted, ...batch } = batchOf(keys, replicas, pipeline)
  const rotate = keys.text('parallelism.context_parallel_rotate_method', 'allgather')
  const optimizer = keys.text('optimizer.name', 'AdamW')
  const sequenceLength = keys.whole('training.seq_len', 2048)
  const offloads = keys.value('training.enable_cpu_offload') === true
  const misnamed = [
    ...misnamedAmong(torchtitanValues, (key) => onlyValue(keys.text(key, ''))),
    ...misnamedSelection(
      keys.text('activation_checkpoint.mode', 'selective'),
      keys.text('activation_checkpoint.selective_ac_option', '2'),
    ),
  ]
  const custom = keys.text('job.custom_config_module', '') !== ''
  const left = keys.left()
  // Of one microbatch outside of a pipeline, ZeRO-1 and ZeRO-2 are written alike: the faster that fits is taken.
  const either = zeroStage === 1 && pipeline === 1 && microbatches === 1
  return {
    framework: 'torchtitan',
    version: torchtitanVersion,
    ...known,
    ...(isUnread(known) && flavorsOf.get(name)?.includes(flavor) ? { named: `${name} ${flavor}` } : {}),
    furtherLayers: false,
    hardware: {},
    workload: {
      mode: 'train',
      ...(chips === null ? {} : { batchSequences }),
      sequenceLength,
      optimizer: /^adam/i.test(optimizer) ? 'adamw' : optimizer,
    },
    precision,
    assumptions: {
      ...(ranks > 1 ? { hierarchicalDispatch: backend === 'deepep' } : {}),
      ...(keptType(keys) === 'bf16' ? { masterWeights: false } : {}),
      ...(precision.compute === 'fp8' ? { narrowOperands: false, weightCopies: 'none' } : {}),
    },
    plan: {
      mesh,
      ...(either ? {} : { zeroStage }),
      ...(microbatches === null ? {} : { microbatches }),
      ...(context > 1 ? { contextLayout: ownValue(rotations, rotate) ?? 'gather' } : {}),
      ...(pipeline > 1 && named ? { pipelineSchedule: named } : {}),
      ...stages.value,
      ...(rematerialization.value === null ? {} : { rematerialization: rematerialization.value }),
    },
    refusals: refusedStages(name, pipeline),
    // The number of replicas depends on the chips.
    uncounted: chips === null ? [] : uncounted,
    notes: compact(
      refusedStages(name, pipeline),
      stages.notes,
      rematerialization.notes,
      offloads && 'training.enable_cpu_offload is not counted',
      converterNotes(converted),
    ),
    doubts: rematerialization.unheld,
    unheld: rematerialization.unheld,
    ...leftOver(left, isImmaterial, keys.known()),
    misnamed,
    follows,
    unregistered: [
      ...unregisteredFlavor(name, flavor),
      ...unregisteredOptimizer(optimizer),
      ...unregisteredConverters(converted),
    ],
    // Whoever adds settings names the module that has them; models beside the release's come with their own.
    refuses: !custom && flavorsOf.has(name),
    faults: compact(
      keys.faults,
      laidOut.faults,
      // The number of replicas depends on the chips, so that these faults mean nothing without them.
      chips !== null && batch.faults,
      stages.faults,
      pipeline > 1 && !named && `the schedule ${schedule} is not read`,
    ),
  }
}

const schedules = inverse(torchtitanSchedules)
const rotations = inverse(torchtitanRotations)

/** FSDP shards over all remaining ranks, and reshards unless there is a pipeline or it is told not to; without FSDP, DDP shards nothing. */
function meshOf(keys: Keys, chips: number | null) {
  const degree = (name: string, otherwise = 1) => {
    const own = keys.whole(`parallelism.${name}_degree`, otherwise)
    return own > 0 || own === otherwise ? own : 1
  }
  const tensor = degree('tensor_parallel')
  const context = degree('context_parallel')
  const pipeline = degree('pipeline_parallel')
  const ranks = degree('expert_parallel')
  const cut = degree('expert_tensor_parallel')
  // A flavor by its name does not say how many experts it has.
  const { expert, countable } = readExpertRanks({ ranks, cut, tensor }, null)
  const replicate = degree('data_parallel_replicate')
  const said = degree('data_parallel_shard', -1)
  const reshard = keys.text('parallelism.fsdp_reshard_after_forward', 'default')
  const left = (chips ?? 0) / (tensor * context * pipeline * replicate)
  const shard = said === -1 ? left : said
  const never = reshard === 'never' || (reshard === 'default' && pipeline > 1)
  const zeroStage = shard * context <= 1 ? 0 : never ? 1 : 3
  const sizes = { tensor, context, pipeline, replicas: replicate }
  const faults = Number.isInteger(left)
    ? compact(idleFault({ shard, left, chips }, sizes), expertFault(expert, shard))
    : [`${written(sizes)} do not divide the ${chips} GPUs`]
  return {
    mesh: {
      ...{ tensor, context, pipeline, expert },
      ...replicaAxes(zeroStage, shard / expert, replicate),
    },
    ranks,
    zeroStage,
    replicas: replicate * shard,
    faults: compact(
      chips === null ? [chipsUnsaid()] : faults,
      !countable &&
        `experts on expert_parallel_degree ${ranks} ranks, with expert_tensor_parallel_degree ${cut} beside tensor_parallel_degree ${tensor}, are not counted`,
    ),
  }
}

/** Source: distributed/parallel_dims.py, `_validate`: the product of all degrees is WORLD_SIZE. */
function idleFault(
  { shard, left, chips }: { shard: number; left: number; chips: number | null },
  sizes: Readonly<Record<string, number>>,
): string | null {
  if (chips === null || shard === left) return null
  const ranks = (chips / left) * shard
  return `${written({ ...sizes, shard })} are ${ranks} ranks, and there are ${chips} GPUs: torchtitan starts where they are as many, as with data_parallel_shard_degree ${left} or -1; of GPUs that it is not started on, say in constraints.chips how many work`
}

function expertFault(expert: number, shard: number): string | null {
  if (Number.isInteger(shard / expert)) return null
  return `the ${shard} ranks that shard do not hold ${expert} ranks of experts: those that span context or tensor are not counted`
}

function written(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, size]) => `${name} ${size}`)
    .join(' x ')
}

function precisionOf(keys: Keys, fp8: boolean): Readonly<Record<string, string>> {
  const own = typeOfLongName(keys.text('training.mixed_precision_param', 'bfloat16'))
  // Marks the key as read: how fp8 is scaled does not affect the layout.
  keys.value('quantize.linear')
  // In bf16 parameters, gradients and moments are kept so, without a copy in fp32 (job_config.py).
  const kept = keptType(keys)
  const states = kept === 'bf16' ? { gradients: kept, optimizer: kept } : { gradients: 'fp32' }
  return { weights: own, compute: fp8 ? 'fp8' : own, ...states }
}

function keptType(keys: Keys): 'bf16' | 'fp32' {
  return typeOfLongName(keys.text('training.dtype', 'float32'))
}
