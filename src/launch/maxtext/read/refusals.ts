/**
 * Settings of MaxText that stop it together. Source: as ../quantization.ts, ../packing.ts and ../splash.ts (tpu_flash_attention asserts
 * that a batch divides, and jax.shard_map has it whole on each part), with configs/base.yml (activation_batch_attn).
 */
import { compact } from '../../../compact.ts'
import type { Keys } from '../../read/fields.ts'
import { contextStrategies } from '../context.ts'
import { perDevice } from '../keys.ts'
import { takesPacked } from '../packing.ts'
import { stopsAccumulating } from '../quantization.ts'
import { kindOf } from './mesh.ts'

/** Why it does not start, where so many chips share out a sequence by a strategy. */
export function settingRefusals(keys: Keys, context: number, strategy: string): readonly string[] {
  const ring = context > 1 && strategy === contextStrategies.ring
  return compact(
    accumulationRefusal(keys),
    packingRefusal(keys, context, strategy),
    ring && ringRefusal(keys),
  )
}

function accumulationRefusal(keys: Keys): string | null {
  const quantization = keys.text('quantization', '')
  const steps = keys.number('gradient_accumulation_steps', 1)
  if (!stopsAccumulating(quantization, steps)) return null
  return `MaxText does not accumulate gradients with quantization=${quantization}: it does not start with gradient_accumulation_steps=${steps}, as it would with 1`
}

function packingRefusal(keys: Keys, context: number, strategy: string): string | null {
  const byCudnn = kindOf(keys) === 'gpu' && keys.text('attention', '') === 'cudnn_flash_te'
  if (!byCudnn || !keys.is('packing', true)) return null
  if (takesPacked(context, strategy, keys.is('context_parallel_load_balance', true))) return null
  return `cudnn_flash_te takes packed sequences over context by a ring with context_parallel_load_balance alone, not by ${strategy.slice(0, 100)}: it does not start without packing=false`
}

/** Around a ring of TPUs MaxText checks what it says of layers that predict further tokens; where keys are gathered it does not (context.ts). */
function ringRefusal(keys: Keys): string | null {
  const layers = keys.number('mtp_num_layers', 0)
  if (kindOf(keys) === 'gpu' || layers <= 0 || !keys.is('context_parallel_load_balance', true)) return null
  return `MaxText's ring on TPUs does not predict further tokens: it does not start with mtp_num_layers=${layers} and without context_parallel_load_balance=false`
}

/** The sequences of one pass, and what shares them out. */
interface Pass {
  readonly sequences: number
  /** Turns in which a pipeline takes them; 1 without one. */
  readonly turns: number
  readonly ranks: number
  /** Parts of the mesh, each of which has as many sequences of a turn as another. */
  readonly parts: number
}

/** Attention on TPUs does not pad a batch. */
export function batchRefusal({ sequences, turns, ranks, parts }: Pass): string | null {
  const all = parts * turns
  if (sequences % all === 0) return null
  const nearest = Math.max(1, Math.round(sequences / all)) * all
  const shares = turns > 1 ? `${turns} microbatches on ${parts} parts` : `${parts} parts`
  return `${sequences} sequences on ${ranks} devices are not shared out evenly to the ${shares} of data x fsdp x expert: it does not start, as it would with per_device_batch_size=${perDevice(nearest, ranks)}`
}
