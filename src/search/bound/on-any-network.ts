/** What floors know of replicas that hangs on no network: models on several may share it. */
import type { Activations } from '../../cost/memory/memory-numbers.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { type ByReplica, byReplica } from './by-replica.ts'
import type { Work } from './choice-floor.ts'
import type { KnownTurns } from './choice-turns.ts'
import type { Times } from './turn-floor.ts'

export interface OnAnyNetwork {
  readonly turns: KnownTurns
  readonly works: ByReplica<Work>
  /** What is computed alone, forwards and backwards. */
  readonly times: ByReplica<Times>
  readonly computes: ByReplica<ComputeNumbers>
  readonly activations: ByReplica<Activations>
}

export function nothingKnown(): OnAnyNetwork {
  return {
    turns: new Map(),
    works: byReplica({ pipelined: false }),
    times: byReplica({ pipelined: false }),
    computes: byReplica({ pipelined: true }),
    activations: byReplica({ pipelined: true }),
  }
}
