/** Megatron-LM's flags for the optimizer, and for what a ZeRO stage shards. Source and table: flags.ts. */

import type { OptimizerName } from '../../recipe/optimizers.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Run } from '../run/run.ts'
import { given, number, numberOr, part, ranks, setting, several, word } from '../settings/settings.ts'
import { momentSettings } from './moments.ts'

interface MegatronOptimizer {
  readonly name: string
  /** Left out where it is not the optimizer's own, or its default of 0.9. */
  readonly momentum?: number
}

export const megatronOptimizers: Readonly<Partial<Record<OptimizerName, MegatronOptimizer>>> = {
  adamw: { name: 'adam' },
  momentum: { name: 'sgd' },
  sgd: { name: 'sgd', momentum: 0 },
  muon: { name: 'muon' },
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

export const stateSettings = {
  optimizer: part(({ problem }: Run) => megatronOptimizers[problem.workload.optimizer], {
    name: setting('--optimizer', ({ name }) => name, word),
    momentum: setting('--sgd-momentum', ({ momentum }) => momentum, number),
  }),
  distributed: setting('--use-distributed-optimizer', ({ zeroStage }: Run) => zeroStage > 0, given),
  // Of Megatron-DeepSpeed.
  engineStage: setting('--zero-stage', null, numberOr(0)),
  host: part(({ problem }: Run) => (problem.assumptions.optimizerOnHost ? problem : null), {
    isHost: setting('--optimizer-cpu-offload', () => true, given),
    overlaps: setting('--overlap-cpu-optimizer-d2h-h2d', () => true),
    share: setting('--optimizer-offload-fraction', null, numberOr(1)),
    layers: setting('--cpu-offloading-num-layers', null, numberOr(0)),
  }),
  ...momentSettings,
  fsdp: part(({ zeroStage }: Run) => megatronSharding[zeroStage], {
    isFsdp: setting('--use-megatron-fsdp', () => true, given, '--use-custom-fsdp', '--use-torch-fsdp2'),
    sharding: setting('--data-parallel-sharding-strategy', (strategy) => strategy, word),
    checkpoints: setting('--ckpt-format', () => 'fsdp_dtensor'),
    // Fused accumulation would need Transformer Engine 2.10; its example scripts do without
    // (megatron/core/distributed/fsdp/mcore_fsdp_adapter.py).
    unfused: setting('--no-gradient-accumulation-fusion', () => true),
  }),
  whole: part((run: Run) => (run.zeroStage === 3 ? run : null), {
    onMeta: setting('--init-model-with-meta-device', () => true),
    instances: setting('--num-distributed-optimizer-instances', ({ mesh }) => several(mesh.data), ranks),
  }),
  // Where several ranks reduce gradients together.
  overlap: part((run: Run) => (run.replicas * run.mesh.context > 1 ? run : null), {
    gradients: setting('--overlap-grad-reduce', () => true, given),
    weights: setting('--overlap-param-gather', ({ zeroStage }) => zeroStage > 0, given),
  }),
}
