/**
 * What no plan is under whose mesh has replicas like one: that replica alone, with its share of the batch and nothing moved over
 * data or fsdp (floor.ts). It does not depend on how many replicas there are, so that numbers of chips share it; behind switches
 * it does not depend on how many chips there are either, once they fill every tier but the outermost.
 */
import type { Window } from '../../cost/compile/compile.ts'
import { createScale } from '../../cost/compile/term.ts'
import { type CostModel, onCluster } from '../../cost/model.ts'
import type { Cluster, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'
import { axisBit, type Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { microbatchChoices } from '../choices.ts'
import { meshFloors } from './floor.ts'

/** Whether a plan may be within the limit whose mesh has such a replica, and so many sequences for it. Limits only ever fall. */
export type ReplicaHope = (replica: Mesh, sequencesEach: number, limit: Seconds) => boolean

/** For any part of the model's cluster behind switches. */
export function replicaHopes(model: CostModel): (part: Cluster) => ReplicaHope {
  const known = new Map<string, ReplicaHope>()
  return (part) => {
    const { network } = part
    if (network.kind === 'torus') return () => true
    const filled = filledTiers(network)
    const key = `${network.tiers[0]?.size} ${part.chips < filled ? part.chips : ''}`
    const hope =
      known.get(key) ?? replicaHope(onCluster(model, part.chips < filled ? part : unbounded(part, network)))
    known.set(key, hope)
    return hope
  }
}

/** Chips of all tiers but the outermost. */
function filledTiers({ tiers }: SwitchedNetwork): number {
  return tiers.reduce((chips, { size }) => chips * (size ?? 1), 1)
}

function unbounded(part: Cluster, { chips: _counted, ...network }: SwitchedNetwork): Cluster {
  return { ...part, network }
}

function replicaHope(model: CostModel): ReplicaHope {
  const { problem, stages, leastBackward } = model
  const { sequenceLength } = problem.workload
  const alone: CostModel = {
    ...model,
    // Of however few nodes.
    stepOverhead: problem.assumptions.stepOverheadSeconds,
    leastBackward: withinReplica(leastBackward),
    stages: stages.map((stage) => ({
      ...stage,
      layer: {
        forward: withinReplica(stage.layer.forward),
        backward: stage.layer.backward.map(withinReplica),
        gradients: withinReplica(stage.layer.gradients),
        weights: withinReplica(stage.layer.weights),
      },
    })),
  }
  const scale = createScale()
  const floors = meshFloors(alone)
  const known = new Map<string, Seconds>()
  return (replica, each, limit) => {
    const { tensor, tensor2, context, expert, pipeline } = replica
    const key = `${tensor} ${tensor2} ${context} ${expert} ${pipeline} ${each}`
    // Over this limit it is proven to be, or within that it may be: as it was asked before.
    const before = known.get(key)
    if (before !== undefined && (before < 0 || before === limit)) return before > 0
    const sequences = each * expert
    const workload = { ...problem.workload, batchTokens: sequences * sequenceLength }
    const tried = microbatchChoices(replica, { ...problem, workload })
    const may = floors.mayBe(replica, scale, limit * (1 + 1e-9), tried)
    known.set(key, may ? limit : -1)
    return may
  }
}

function withinReplica(window: Window): Window {
  const outside = axisBit.data | axisBit.fsdp
  return { ...window, buckets: window.buckets.filter(({ over }) => (over & outside) === 0) }
}
