/**
 * What floors know of replicas that hangs on no batch and no budget, most of it on no network either. Models on several networks share it, and so do searches of the
 * same model on the same kind of chip: what a microbatch takes of a replica is the same for any cluster, batch or constraint that is asked next.
 */
import { byPair } from '../../by-pair.ts'
import { compilationKey } from '../../cost/compiled-model.ts'
import type { Activations } from '../../cost/memory/memory-numbers.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { known } from '../../known.ts'
import { lasting } from '../../recent.ts'
import { triedSchedules } from '../layouts/choices.ts'
import { type ByReplica, byReplica } from './by-replica.ts'
import type { Work } from './choice-floor.ts'
import type { KnownTurns } from './choice-turns.ts'
import type { KnownFillings } from './fillings.ts'
import type { KnownSums } from './floor-sums.ts'
import { type NeedsByStage, noNetworks, type OnNetworks } from './on-networks.ts'
import type { Sharded } from './sharded.ts'
import type { Times } from './turn-floor.ts'

export interface KnownBefore {
  readonly turns: KnownTurns
  readonly fillings: KnownFillings
  readonly works: ByReplica<Work>
  /** What is computed alone, forwards and backwards. */
  readonly times: ByReplica<Times>
  readonly computes: ByReplica<ComputeNumbers>
  readonly activations: ByReplica<Activations>
  /** States with as many replicas as there may be. */
  readonly mostSharded: ByReplica<Sharded>
  /** What stages need where nothing is known to move. */
  readonly everNeeds: ByReplica<NeedsByStage>
  readonly networks: OnNetworks
  readonly sums: KnownSums
}

export function nothingKnown(): KnownBefore {
  return {
    turns: byPair(),
    fillings: { byName: byPair(), ofAll: byPair() },
    works: byReplica({ pipelined: false }),
    times: byReplica({ pipelined: false }),
    computes: byReplica({ pipelined: true }),
    activations: byReplica({ pipelined: true }),
    mostSharded: byReplica({ pipelined: true }),
    everNeeds: byReplica({ pipelined: true }),
    networks: noNetworks(),
    sums: new WeakMap(),
  }
}

/** What earlier searches of the same model found out, to be added to. Waiting and what is in flight depend on the schedules that are tried, and nothing else on the request. */
export function knownBefore(model: CostModel): KnownBefore {
  const { problem, contextLayout } = model
  return known(before, `${compilationKey(problem, contextLayout)} ${triedSchedules(problem)}`, nothingKnown)
}

/** Each has some megabytes after a large search; a request has a model for each way to divide a sequence. */
const mostModels = 4

const before = lasting<KnownBefore>(mostModels)
