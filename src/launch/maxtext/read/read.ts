/**
 * Reads a configuration of MaxText into the words of a request: the inverse of config.ts, with the same source.
 * Defaults are those of its base.yml: fsdp takes the rest of a slice, data the rest of the slices, 12 sequences of 2048
 * per device, everything recomputed. Behind switches the units of the innermost tier count as slices.
 */

import { compact } from '../../../compact.ts'
import { type Fields, isFields, ownValue, present } from '../../../fields.ts'
import { typeOfLongName } from '../../long-names.ts'
import { misnamedAmong, onlyValue } from '../../read/closed-values.ts'
import { type Keys, keysOf } from '../../read/fields.ts'
import { inverse } from '../../read/inverse.ts'
import { leftOver } from '../../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../../read/reading.ts'
import { contextStrategies } from '../context.ts'
import { maxtextDispatch } from '../experts.ts'
import { maxtextVersion } from '../keys.ts'
import { readMaxtextAttention } from './attention.ts'
import { expertFaults } from './experts.ts'
import { elsewhereNotes, isImmaterial, isSharedElsewhere } from './immaterial.ts'
import { kindOf, meshOf, secondAxes } from './mesh.ts'
import { readMaxtextModel } from './model.ts'
import { pipelineNote } from './pipeline.ts'
import { readMaxtextPolicy } from './recomputation.ts'
import { batchRefusal, settingRefusals } from './refusals.ts'
import { maxtextValues } from './values.ts'

export function readMaxtext(config: Fields, context: ReadingContext, isCommand = true): LaunchReading {
  const keys = keysOf(config)
  const { mesh, chips, ranks, parts, faults, refusals: ofMesh } = meshOf(keys, context)
  const { model, named, besideName } = readMaxtextModel(keys, isCommand)
  const kind = kindOf(keys)
  const sharded = mesh.fsdp * mesh.context * mesh.expert > 1
  const zeroStage = keys.is('shard_optimizer_over_data') && !sharded ? 1 : sharded ? 3 : 0
  const { batchSequences, microbatches, pass } = batchOf(keys, ranks, mesh.pipeline)
  const strategy = keys.text('context_parallel_strategy', 'all_gather').toLowerCase()
  const remat = readMaxtextPolicy(keys, context.model, mesh.expert > 1)
  const { precision, assumptions, apart } = numbersOf(keys)
  const optimizer = keys.text('opt_type', 'adamw')
  const sequenceLength = keys.number('max_target_length', 2048)
  const contextLayout = ownValue(layouts, strategy) ?? 'gather'
  const onTpu = (context.chip?.kind ?? kind ?? 'tpu') === 'tpu'
  const shared = { sequenceLength, context: mesh.context, contextLayout }
  const attention = readMaxtextAttention(keys, shared, onTpu)
  const refusals = compact(
    ...[ofMesh, attention.refusals, settingRefusals(keys, mesh.context, strategy)],
    onTpu && faults.length === 0 && !isSharedElsewhere(keys) && batchRefusal({ ...pass, parts }),
  )
  // Without a factor there is room for the most that can come.
  const expertBufferFactor = Math.max(0, keys.number('ragged_buffer_factor', 0))
  const mixture = Boolean(context.model?.experts ?? (model && 'moe' in model))
  const experts = expertFaults(keys, mixture)
  const layers = context.model?.layers ?? (typeof model?.layers === 'number' ? model.layers : null)
  const cut = pipelineNote(keys, { stages: mesh.pipeline, turns: pass.turns, layers })
  const notes = elsewhereNotes(keys)
  const misnamed = misnamedAmong(maxtextValues, (key) => onlyValue(keys.text(key, '').toLowerCase()))
  const left = keys.left().filter((key) => !isNothing(key, config[key]))
  return {
    framework: 'maxtext',
    version: maxtextVersion,
    model,
    ...present({ named, kind, besideName }),
    hardware: {},
    workload: {
      mode: 'train',
      ...(chips === null ? {} : { batchSequences }),
      sequenceLength,
      optimizer: /^adam/.test(optimizer) ? 'adamw' : optimizer,
    },
    precision,
    assumptions: {
      ...assumptions,
      ...(mesh.expert > 1 ? { hierarchicalDispatch: false, expertBufferFactor } : {}),
    },
    plan: {
      mesh,
      zeroStage,
      ...(Number.isInteger(microbatches) ? { microbatches } : {}),
      ...(mesh.context > 1 ? { contextLayout } : {}),
      ...(mesh.pipeline > 1 ? { pipelineSchedule: 'gpipe' } : {}),
      ...(remat.policy === null ? {} : { rematerialization: remat.policy }),
    },
    notes: compact(
      refusals,
      ...[notes, remat.notes, cut, apart, secondAxes(keys), mesh.context > 1 && mixedNote(strategy)],
    ),
    refusals,
    ...leftOver(left, isImmaterial),
    refuses: true,
    faults: [...keys.faults, ...faults, ...attention.faults, ...experts, ...remat.faults],
    misnamed: [...misnamed, ...(remat.misnamed ?? [])],
    ...(context.model?.experts && context.chip?.kind === 'gpu' && mesh.tensor > 1 ? slicedExperts : {}),
  }
}

/** As its tensor axis slices them; on GPUs plans assume whole ones. */
const slicedExperts = { costed: present({ expertTensor: maxtextDispatch.holds }) }

const layouts = inverse(contextStrategies)

function mixedNote(strategy: string): string | null {
  if (ownValue(layouts, strategy)) return null
  return `context_parallel_strategy ${strategy.slice(0, 100)} is not counted: keys and values are counted as gathered`
}

/** A pipeline takes all its microbatches in one pass, by default as many as it has stages. */
function batchOf(keys: Keys, ranks: number | null, pipeline: number) {
  const perDevice = keys.number('per_device_batch_size', 12)
  const accumulation = keys.number('gradient_accumulation_steps', 1)
  const piped = keys.number('num_pipeline_microbatches', -1)
  const sequences = Math.trunc((ranks ?? 0) * perDevice + 1e-9)
  const turns = pipeline > 1 ? (piped > 0 ? piped : pipeline) : 1
  return {
    pass: { sequences, turns, ranks: ranks ?? 0 },
    batchSequences: sequences * accumulation,
    microbatches: turns * accumulation,
  }
}

/** Weights are kept in fp32 (the master copy) unless weight_dtype is bf16; moments have the same type. */
function numbersOf(keys: Keys) {
  const type = (name: string, otherwise: string) => typeOfLongName(keys.text(name, otherwise))
  const compute = type('dtype', 'bfloat16')
  const kept = type('weight_dtype', 'float32')
  const quantised = keys.text('quantization', '')
  const narrow = /^(fp8|nanoo_fp8|te_.*fp8)/.test(quantised) ? 'fp8' : /^int8/.test(quantised) ? 'int8' : null
  const pieces = keys.number('num_vocab_tiling', 1)
  const first = keys.text('mu_dtype', '') === '' ? kept : type('mu_dtype', '')
  return {
    precision: {
      weights: compute,
      compute: narrow ?? compute,
      gradients: type('grad_dtype', 'float32'),
      optimizer: first === 'fp32' ? first : kept,
    },
    assumptions: {
      ...(kept === 'bf16' ? { masterWeights: false } : {}),
      ...(keys.is('optimizer_memory_host_offload') ? { optimizerOnHost: true } : {}),
      ...(pieces > 1 ? { lossChunks: pieces } : {}),
    },
    apart:
      first === kept
        ? []
        : [`mu_dtype is of Adam's first moment alone: both are counted in the wider type, fp32`],
  }
}

/** Whether a key only says that an axis has size 1. */
function isNothing(key: string, value: unknown): boolean {
  if (isFields(value)) return false
  return /_parallelism$/.test(key) && Number(value) === 1
}
