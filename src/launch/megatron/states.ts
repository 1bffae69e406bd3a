/** Megatron-LM's flags for the optimizer, and for what a ZeRO stage shards. Source and table: flags.ts. */

import { compact } from '../../compact.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'
import { awareFlags } from './moments.ts'

export const megatronOptimizers: Readonly<Partial<Record<OptimizerName, readonly Word[]>>> = {
  adamw: ['--optimizer', 'adam'],
  momentum: ['--optimizer', 'sgd'],
  sgd: ['--optimizer', 'sgd', '--sgd-momentum', 0],
  muon: ['--optimizer', 'muon'],
}

/** Optimizers whose states ZeRO can shard, with the stages in which it does: it deals out Muon's matrices whole (ZeRO-1), and refuses it in Megatron-FSDP. */
export const megatronSharded: Readonly<Partial<Record<OptimizerName, readonly ZeroStage[]>>> = {
  adamw: [1, 2, 3],
  muon: [1],
}

/** Sharding strategies of Megatron-FSDP, in the order of ZeRO stages. */
export const shardingStrategies: readonly string[] = [
  ...['no_shard', 'optim', 'optim_grads', 'optim_grads_params'],
]

/** The strategy that is written; null if the distributed optimizer or plain replication is used. */
export const megatronSharding: Readonly<Record<ZeroStage, string | null>> = {
  ...{ 0: null, 1: null },
  2: shardingStrategies[2] ?? null,
  3: shardingStrategies[3] ?? null,
}

export function megatronStates({ zeroStage, mesh, replicas, problem }: Run): readonly Word[] {
  const strategy = megatronSharding[zeroStage]
  const shares = replicas * mesh.context > 1
  return compact(
    megatronOptimizers[problem.workload.optimizer] ?? [],
    zeroStage > 0 && '--use-distributed-optimizer',
    problem.assumptions.optimizerOnHost
      ? ['--optimizer-cpu-offload', '--overlap-cpu-optimizer-d2h-h2d', '--use-precision-aware-optimizer']
      : awareFlags(problem),
    strategy && ['--use-megatron-fsdp', '--data-parallel-sharding-strategy', strategy],
    // Fused accumulation would need Transformer Engine 2.10; its example scripts do without
    // (megatron/core/distributed/fsdp/mcore_fsdp_adapter.py).
    strategy && ['--ckpt-format', 'fsdp_dtensor', '--no-gradient-accumulation-fusion'],
    zeroStage === 3 && '--init-model-with-meta-device',
    zeroStage === 3 && mesh.data > 1 && ['--num-distributed-optimizer-instances', mesh.data],
    shares && '--overlap-grad-reduce',
    shares && zeroStage > 0 && '--overlap-param-gather',
  )
}
