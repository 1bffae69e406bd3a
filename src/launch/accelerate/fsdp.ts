/**
 * How accelerate's FSDP shards: version 1 by the name or the number of a strategy, version 2 by whether weights are sharded again after
 * the forward pass; each ignores the other's key. Source: as read.ts, utils/dataclasses.py
 * (FullyShardedDataParallelPlugin.__post_init__), utils/environment.py (str_to_bool).
 */
import { ownValue } from '../../fields.ts'
import type { Keys } from '../read/fields.ts'

/** ZeRO stages of the strategies, in the order of their numbers, which begin with 1. */
const strategies: Readonly<Record<string, number>> = {
  FULL_SHARD: 3,
  SHARD_GRAD_OP: 2,
  NO_SHARD: 0,
  HYBRID_SHARD: 3,
  HYBRID_SHARD_ZERO2: 2,
}
const names = Object.keys(strategies)
const truths = ['true', 'yes', 'y', 't', 'on', '1']

/** Values that there are, of keys under `fsdp_config`. */
export const fsdpValues = {
  fsdp_sharding_strategy: [...names, ...names.map((_, index) => `${index + 1}`)],
  fsdp_reshard_after_forward: [...truths, 'false', 'no', 'n', 'f', 'off', '0'],
}

export interface Sharding {
  readonly name: string
  readonly zeroStage: number
  /** Whether the ranks of a machine share out a copy, of which each machine has one. */
  readonly hybrid: boolean
  /** The key that says so, and what it says in the case in which values are listed. */
  readonly said: { readonly key: keyof typeof fsdpValues; readonly value: string }
}

export function shardingOf(fsdp: Keys): Sharding {
  const again = fsdp.text('fsdp_reshard_after_forward', 'true').toLowerCase()
  const strategy = fsdp.text('fsdp_sharding_strategy', 'FULL_SHARD').toUpperCase()
  if (fsdp.number('fsdp_version', 1) === 2) {
    const said = { key: 'fsdp_reshard_after_forward', value: again } as const
    return { name: again, zeroStage: truths.includes(again) ? 3 : 2, hybrid: false, said }
  }
  const name = names[Number(strategy) - 1] ?? strategy
  const said = { key: 'fsdp_sharding_strategy', value: strategy } as const
  return { name, zeroStage: ownValue(strategies, name) ?? 3, hybrid: name.startsWith('HYBRID'), said }
}
