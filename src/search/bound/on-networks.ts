/**
 * What floors know of replicas on networks that price alike what moves inside of them: behind switches on nearly any number of chips, on a
 * torus for as long as the same slices are asked about. It hangs on no batch, budget or constraint; nor on whether what moves over data and fsdp
 * is left out (within-replica.ts), as what grows with a batch never moves over these.
 */
import type { NetworkPrices } from '../../cost/communication/network.ts'
import { known } from '../../known.ts'
import { type ByReplica, replicaStore } from './by-replica.ts'
import type { Moved } from './choice-floor.ts'
import type { LayerNeeds } from './most-layers.ts'
import type { StageNeeds, Timed } from './stage-room.ts'
import type { Times } from './turn-floor.ts'

export interface OnNetwork {
  /** What is computed and moved by the sizes of a replica's axes alone: by powers of two of sequences, and of exactly so many. */
  readonly turns: ByReplica<Times>
  readonly exactTurns: ByReplica<number>
  /** What is moved, in the best case. */
  readonly moves: ByReplica<Moved>
  readonly timings: ByReplica<Timed>
  readonly layers: WeakMap<Timed, LayerNeeds>
  /** With as many replicas as there may be. */
  readonly replicaNeeds: ByReplica<NeedsByStage>
}

/** By ZeRO stage, each made when it is first asked for. */
export type NeedsByStage = StageNeeds[]

/** What is known on the network that has these prices. */
export type OnNetworks = (prices: NetworkPrices) => OnNetwork

export function noNetworks(): OnNetworks {
  const networks = new WeakMap<object, ReturnType<typeof stores>>()
  return ({ alike, kindOf, kindBySize }) => {
    const { turns, exactTurns, moves, timings, layers, replicaNeeds } = known(networks, alike, stores)
    return {
      ...{ turns: turns(kindBySize), exactTurns: exactTurns(kindBySize) },
      ...{ moves: moves(kindOf), timings: timings(kindOf), layers, replicaNeeds: replicaNeeds(kindOf) },
    }
  }
}

function stores() {
  return {
    turns: replicaStore<Times>({ pipelined: false }),
    exactTurns: replicaStore<number>({ pipelined: false }),
    moves: replicaStore<Moved>({ pipelined: false }),
    timings: replicaStore<Timed>({ pipelined: true }),
    layers: new WeakMap<Timed, LayerNeeds>(),
    replicaNeeds: replicaStore<NeedsByStage>({ pipelined: true }),
  }
}
