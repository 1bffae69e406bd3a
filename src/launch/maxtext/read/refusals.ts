/** Settings of MaxText that stop it together, whatever chips it has. Source: as ../quantization.ts and ../packing.ts. */
import { compact } from '../../../compact.ts'
import type { Keys } from '../../read/fields.ts'
import { takesPacked } from '../packing.ts'
import { stopsAccumulating } from '../quantization.ts'
import { kindOf } from './mesh.ts'

/** Why it does not start, where so many chips share out a sequence by a strategy. */
export function settingRefusals(keys: Keys, context: number, strategy: string): readonly string[] {
  return compact(accumulationRefusal(keys), packingRefusal(keys, context, strategy))
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
