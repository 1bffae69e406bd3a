/**
 * What no plan is under whose mesh has replicas like one: that replica alone, with its share of the batch and nothing moved over
 * data or fsdp (floor.ts). It does not depend on how many replicas there are, so that numbers of chips share it; behind switches
 * it does not depend on how many chips there are either, once they fill every tier but the outermost.
 */
import type { Window } from '../../cost/compile/compile.ts'
import { createScale } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Cluster, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'
import { axisBit, type Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { microbatchChoices } from '../layouts/choices.ts'
import { meshFloors } from './floor.ts'
import { nothingKnown, type OnAnyNetwork, roomFloors } from './room-floor.ts'

/** Whether a plan may be within the limit whose mesh has such a replica, and so many sequences for it. Limits only ever fall. */
export type ReplicaHope = (replica: Mesh, sequencesEach: number, limit: Seconds) => boolean

export interface ReplicaHopes {
  /** On any network; of more sequences never sooner. */
  readonly anywhere: ReplicaHope
  /** On a part of the model's cluster: no closer on a torus. */
  readonly on: (part: Cluster) => ReplicaHope
}

export function replicaHopes(model: CostModel): ReplicaHopes {
  const known = new Map<string, ReplicaHope>()
  const shared = nothingKnown()
  const anywhere = hopeEver(soonest(model), 'any', shared)
  const on: ReplicaHopes['on'] = (part) => {
    const { network } = part
    if (network.kind === 'torus') return anywhere
    const filled = filledTiers(network)
    const key = `${network.tiers[0]?.size} ${part.chips < filled ? part.chips : ''}`
    const found = known.get(key)
    if (found) return found
    const cluster = part.chips < filled ? part : unbounded(part, network)
    const here = replicaHope(onCluster(model, cluster), shared)
    const hope: ReplicaHope = (replica, each, limit) =>
      anywhere(replica, each, limit) && here(replica, each, limit)
    known.set(key, hope)
    return hope
  }
  return { anywhere, on }
}

/** Chips of all tiers but the outermost. */
function filledTiers({ tiers }: SwitchedNetwork): number {
  return tiers.reduce((chips, { size }) => chips * (size ?? 1), 1)
}

function unbounded(part: Cluster, { chips: _counted, ...network }: SwitchedNetwork): Cluster {
  return { ...part, network }
}

/** In whatever microbatches: what is too much for some sequences is for more of them. On any network where that is not told. */
function hopeEver(model: CostModel, network: 'any' | 'its own', shared: OnAnyNetwork): ReplicaHope {
  const scale = createScale()
  const rooms = roomFloors(model, shared)
  const known = new Map<Mesh, { hopeless: number; hopeful: number; limit: Seconds }>()
  return (replica, each, limit) => {
    const of = known.get(replica) ?? { hopeless: Number.POSITIVE_INFINITY, hopeful: 0, limit }
    known.set(replica, of)
    if (of.limit !== limit) Object.assign(of, { hopeful: 0, limit })
    if (each >= of.hopeless) return false
    if (each <= of.hopeful) return true
    const may = rooms.ever(replica, scale, limit, each, network)
    if (may) of.hopeful = each
    else of.hopeless = each
    return may
  }
}

function replicaHope(model: CostModel, shared: OnAnyNetwork): ReplicaHope {
  const { problem } = model
  const { sequenceLength } = problem.workload
  const alone = aloneIn(model)
  const ever = hopeEver(alone, 'its own', shared)
  const scale = createScale()
  const floors = meshFloors(alone, shared)
  const known = new Map<Mesh, Map<number, Seconds>>()
  return (replica, each, limit) => {
    const ofReplica = known.get(replica) ?? new Map<number, Seconds>()
    known.set(replica, ofReplica)
    // Over this limit it is proven to be, or within that it may be: as it was asked before.
    const before = ofReplica.get(each)
    if (before !== undefined && (before < 0 || before === limit)) return before > 0
    if (!ever(replica, each, limit)) return false
    const sequences = each * replica.expert
    const workload = { ...problem.workload, batchTokens: sequences * sequenceLength }
    const tried = microbatchChoices(replica, { ...problem, workload })
    const may = floors.mayBe(replica, scale, limit * (1 + 1e-9), tried)
    ofReplica.set(each, may ? limit : -1)
    return may
  }
}

/** Of however few nodes. */
function soonest(model: CostModel): CostModel {
  return { ...model, stepOverhead: model.problem.assumptions.stepOverheadSeconds }
}

/** With what one replica moves, and nothing else. */
function aloneIn(model: CostModel): CostModel {
  const kinds = model.kinds?.()
  const ofKinds = kinds && { dense: aloneIn(kinds.dense), sparse: aloneIn(kinds.sparse) }
  return {
    ...soonest(model),
    leastBackward: withinReplica(model.leastBackward),
    stages: model.stages.map((stage) => ({
      ...stage,
      layer: {
        forward: withinReplica(stage.layer.forward),
        backward: stage.layer.backward.map(withinReplica),
        gradients: withinReplica(stage.layer.gradients),
        weights: withinReplica(stage.layer.weights),
      },
    })),
    ...(ofKinds ? { kinds: () => ofKinds } : {}),
  }
}

function withinReplica(window: Window): Window {
  const outside = axisBit.data | axisBit.fsdp
  return { ...window, buckets: window.buckets.filter(({ over }) => (over & outside) === 0) }
}
