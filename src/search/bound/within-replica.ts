/**
 * What replicas move at least, however many there are: what moves inside one of them and, of weights and gradients that move over replicas
 * and axes inside of them, what they would take over these axes alone.
 *
 * Ranks count through the axes inside a replica first, R chips. Where R chips fill a unit of the network, it has as many members of a group
 * however many replicas there are; where whole replicas fill it, k times as many. With A members in such a unit and b in each unit below, a byte
 * takes (⌈A/b⌉ - 1)/A there, and no less with A·k, as ⌈A·k/b⌉ - 1 >= k·(⌈A/b⌉ - 1); nor are there fewer steps. That is not so of an AllToAll, which
 * takes less the more there are, and is not said of reductions in the network, whose factor depends on where they end.
 */
import type { Bucket, Window } from '../../cost/compile/compile.ts'
import type { CostModel } from '../../cost/model.ts'
import type { Network } from '../../hardware/cluster/cluster.ts'
import { axisBit, type Mesh } from '../../sharding/axis.ts'
import { growsWithBatch } from './floor-sums.ts'

const outside = axisBit.data | axisBit.fsdp

type Moves = (bucket: Bucket) => boolean

/** With what moves over data or fsdp only as far as it moves inside a replica, where replicas nest; and without it. */
export function withinReplica(model: CostModel, { nested }: { readonly nested: boolean }): CostModel {
  const { inNetworkReduction } = model.problem.assumptions
  return moving(model, nested && !inNetworkReduction ? movesInside : staysInside)
}

/** Whether each unit of the network is filled by chips of one replica, or by whole replicas. */
export function replicasNest(network: Network, { tensor, tensor2, context, expert }: Mesh): boolean {
  if (network.kind === 'torus') return false
  const chips = tensor * tensor2 * context * expert
  let unit = 1
  return network.tiers.every(({ size }) => {
    unit *= size ?? Number.POSITIVE_INFINITY
    return unit <= chips || unit === Number.POSITIVE_INFINITY || unit % chips === 0
  })
}

function staysInside({ over }: Bucket): boolean {
  return (over & outside) === 0
}

/** As many bytes of it move whatever the number of replicas. */
function movesInside(bucket: Bucket): boolean {
  if (staysInside(bucket)) return true
  const { over, operation, bytes } = bucket
  const inside = (over & ~outside) !== 0 && bytes.every(({ mask }) => (mask & outside) === 0)
  return inside && operation !== 'AllToAll' && !growsWithBatch(bucket)
}

function moving(model: CostModel, moves: Moves): CostModel {
  const of = (window: Window): Window => ({ ...window, buckets: window.buckets.filter(moves) })
  const kinds = model.kinds?.()
  const ofKinds = kinds && { dense: moving(kinds.dense, moves), sparse: moving(kinds.sparse, moves) }
  return {
    ...model,
    leastBackward: of(model.leastBackward),
    stages: model.stages.map((stage) => ({
      ...stage,
      layer: {
        forward: of(stage.layer.forward),
        backward: stage.layer.backward.map(of),
        gradients: of(stage.layer.gradients),
        weights: of(stage.layer.weights),
      },
    })),
    ...(ofKinds ? { kinds: () => ofKinds } : {}),
  }
}
