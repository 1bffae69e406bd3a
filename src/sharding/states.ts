/**
 * Which states a ZeRO stage shards, and over which axes, as a table. Weights that are stored sharded are gathered where they
 * are used; gradients are reduced into the sharding that they are stored in or, where they are not sharded, into the
 * optimizer's at the end of the step; updated weights are gathered back once a step.
 *
 *   stage   weights             gradients               optimizer                reduced
 *   0       -                   -                       -                        once a step
 *   1       -                   -                       data, fsdp, context, expert      once a step
 *   2       -                   data, fsdp, context, expert     as gradients             every microbatch
 *   3       fsdp, context, expert       as weights      as weights               every microbatch
 *
 * All but the experts treat the expert axis like data. The experts' own weights are sharded over it already, and their states
 * are sharded over the other axes.
 *
 * `data` beside stage 3 is HSDP: whole copies of the shards, so its gradients are all-reduced after the scatter.
 * Source: Rajbhandari et al. 2020 (arXiv 1910.02054); formulas of section 10.
 */
import { type Axis, replicatingAxes, weightShardingAxes } from './axis.ts'

export type ZeroStage = 0 | 1 | 2 | 3

export const zeroStages: readonly ZeroStage[] = [0, 1, 2, 3]

export interface StateSharding {
  readonly weights: readonly Axis[]
  readonly gradients: readonly Axis[]
  readonly optimizer: readonly Axis[]
  readonly reduced: 'microbatch' | 'step'
}

export const stateShardings: Readonly<Record<ZeroStage, StateSharding>> = {
  0: { weights: [], gradients: [], optimizer: [], reduced: 'step' },
  1: { weights: [], gradients: [], optimizer: replicatingAxes, reduced: 'step' },
  2: { weights: [], gradients: replicatingAxes, optimizer: replicatingAxes, reduced: 'microbatch' },
  3: {
    weights: weightShardingAxes,
    gradients: weightShardingAxes,
    optimizer: weightShardingAxes,
    reduced: 'microbatch',
  },
}
