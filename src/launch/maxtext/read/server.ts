/**
 * Reads a configuration of MaxText's engine: the inverse of server.ts, with the same source. By default (base.yml) fsdp takes the chips that
 * tensor leaves, and the engine would gather weights in every step. Each server has `tensor` chips (devices, where a chip has several); further chips are further servers.
 */
import { compact } from '../../../compact.ts'
import { type Fields, present } from '../../../fields.ts'
import { typeOfLongName } from '../../long-names.ts'
import { type Keys, keysOf } from '../../read/fields.ts'
import { leftOver } from '../../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../../read/reading.ts'
import { everywhere } from '../../server/attention-groups.ts'
import { servingReading } from '../../server/read-serving.ts'
import { maxtextVersion } from '../keys.ts'
import { elsewhereNotes, isImmaterial } from './immaterial.ts'
import { kindOf, uncountedAxes } from './mesh.ts'
import { readMaxtextModel } from './model.ts'

export function readMaxtextServer(config: Fields, context: ReadingContext, isCommand = true): LaunchReading {
  const keys = keysOf(config)
  const { model, named, besideName } = readMaxtextModel(keys, isCommand)
  const kind = kindOf(keys)
  const { ranks, faults } = ranksOf(keys, context)
  const prompt = keys.number('max_prefill_predict_length', 0)
  const whole = keys.number('max_target_length', 2048)
  const { precision, notes } = numbersOf(keys)
  const chunk = keys.is('use_chunked_prefill') ? keys.number('prefill_chunk_size', 0) : 0
  const reading = servingReading(
    {
      framework: 'maxtext',
      version: maxtextVersion,
      assumptions: {},
      named,
      ...{ ranks, groups: 1, pipeline: 1, replicas: 1, experts: 'sliced', positions: false },
      besideGroups: everywhere('all'),
      contextLength: context.mode === 'prefill' && prompt > 0 ? prompt + kept : whole,
      kept,
      sequences: Math.max(1, Math.trunc(ranks * keys.number('per_device_batch_size', 12) + 1e-9)),
      usualSequences: null,
      stepTokens: null,
      chunk: null,
      servingNotes:
        chunk > 0 ? ['chunks of a prompt are of what a step has room for, not of prefill_chunk_size'] : [],
      onePhase: null,
      precision,
      notes: [...elsewhereNotes(keys), ...notes],
      ...leftOver(keys.left(), isOfEngine),
      faults: [...keys.faults, ...faults],
    },
    context,
  )
  return { ...reading, model, ...present({ kind, besideName }) }
}

/** A prompt leaves room for one token behind it. */
const kept = 1

function ranksOf(keys: Keys, { chips, devices = 1 }: ReadingContext) {
  const own = keys.number('ici_tensor_parallelism', 1)
  const all = chips === null ? null : chips * devices
  const ranks = own > 0 ? own : (all ?? devices)
  const spread = keys.number('ici_fsdp_parallelism', -1)
  const open = keys.number('ici_autoregressive_parallelism', 1) <= 0
  const uncounted = open ? ['the axis autoregressive is not counted'] : uncountedAxes(keys, otherAxes)
  const said = keys.value('ici_tensor_parallelism') !== undefined && own > 0
  const left = spread > 0 ? spread : (all ?? ranks) / ranks
  const gathers = left > 1 || keys.number('dcn_fsdp_parallelism', 1) > 1
  return {
    ranks,
    faults: compact(
      gathers &&
        `ici_fsdp_parallelism ${spread > 0 ? spread : 'takes what tensor leaves, and'} gathers weights in every step, which is not counted: the nearest are ici_fsdp_parallelism=1 and ici_tensor_parallelism=${all ?? ranks}`,
      uncounted,
      all === null &&
        !said &&
        'how many chips there are is said by hardware alone (--chips or --topology on the command line)',
    ),
  }
}

const otherAxes = [
  ...['data', 'pipeline', 'context', 'expert', 'sequence', 'tensor_sequence', 'autoregressive'],
  ...['context_autoregressive', 'tensor_transpose', 'fsdp_transpose'],
]

function numbersOf(keys: Keys) {
  const compute = typeOfLongName(keys.text('dtype', 'bfloat16'))
  const quantised = keys.text('quantization', '')
  const type = quantised === 'int8' ? 'int8' : compute
  const narrow = keys.is('quantize_kvcache') ? keys.text('kv_quant_dtype', 'int8') : ''
  keys.text('weight_dtype', 'float32')
  keys.is('checkpoint_is_quantized')
  return {
    precision: {
      weights: type,
      compute: type,
      kvCache: narrow === 'int8' || narrow === 'int4' ? narrow : compute,
    },
    notes:
      quantised !== '' && quantised !== 'int8'
        ? [`quantization ${quantised} is not counted: say it in precision`]
        : [],
  }
}

/** Keys that only the engine has, and that change no cost. */
const engine =
  /^(prefill_|ar_cache|stack_prefill|return_log|decode_|kv_quant_axis|optimize_mesh|compute_axis|replicate_quant|prometheus|inference_microbenchmark|multi_sampling)/

function isOfEngine(key: string): boolean {
  return isImmaterial(key) || engine.test(key)
}
