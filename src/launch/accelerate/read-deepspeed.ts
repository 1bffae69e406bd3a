/**
 * Reads a config of accelerate that starts DeepSpeed, as the config of DeepSpeed that accelerate makes of it. Source:
 * as read.ts, utils/dataclasses.py (DeepSpeedPlugin: ZeRO-2 and no accumulation by default).
 */
import { compact } from '../../compact.ts'
import { readDeepspeed } from '../deepspeed/read.ts'
import type { Keys } from '../read/fields.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'

/** `keys` are those of the whole config, `own` those under `deepspeed_config`; `chips` is null if neither the config nor the request has them. */
export function readByDeepspeed(
  keys: Keys,
  own: Keys,
  chips: number | null,
  context: ReadingContext,
): Omit<LaunchReading, 'framework' | 'version' | 'hardware'> {
  const mixed = keys.text('mixed_precision', 'no')
  const file = own.text('deepspeed_config_file', '')
  const [optimizer, parameters] = ['optimizer', 'param'].map((part) =>
    own.text(`offload_${part}_device`, 'none'),
  )
  const config = {
    zero_optimization: {
      stage: own.number('zero_stage', 2),
      ...(optimizer === 'none' ? {} : { offload_optimizer: { device: optimizer } }),
      ...(parameters === 'none' ? {} : { offload_param: { device: parameters } }),
    },
    gradient_accumulation_steps: own.number('gradient_accumulation_steps', 1),
    bf16: { enabled: mixed === 'bf16' },
    fp16: { enabled: mixed === 'fp16' },
  }
  const reading = readDeepspeed(config, { ...context, chips })
  const rest = own.left().map((key) => `deepspeed_config.${key}`)
  return {
    ...reading,
    ...leftOver(rest, isImmaterial),
    faults: compact(
      own.faults,
      reading.faults,
      file !== '' && `deepspeed_config_file ${file.slice(0, 100)} says the rest: send that, as deepspeed`,
    ),
  }
}

const isImmaterial = beginningWith(`
  deepspeed_config.zero3_ deepspeed_config.deepspeed_multinode deepspeed_config.deepspeed_hostfile
  deepspeed_config.gradient_clipping deepspeed_config.offload_
`)
