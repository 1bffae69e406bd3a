/**
 * A floor under every plan whose mesh has replicas like a given one: that replica alone, with its share of the batch and no more of what moves over
 * data or fsdp than what moves inside it (floor.ts, within-replica.ts). It does not depend on how many replicas there are, so different numbers
 * of chips share it; behind switches it does not depend on how many chips there are either, once they fill every tier but the outermost.
 */
import { createScale } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { filledTiers, unbounded } from '../../hardware/cluster/resized-cluster.ts'
import { once } from '../../known.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { type Microbatching, microbatchChoices } from '../layouts/choices.ts'
import { meshFloors } from './floor.ts'
import { type KnownBefore, nothingKnown } from './known-before.ts'
import { type Paced, pacedOn } from './pace.ts'
import { roomFloors } from './room-floor.ts'
import { replicasNest, withinReplica } from './within-replica.ts'

/** Whether a plan may be within the limit whose mesh has this replica, with this many sequences for each. Limits only ever fall. */
export type ReplicaHope = (replica: Mesh, sequencesEach: number, limit: Seconds) => boolean

export interface ReplicaHopes {
  /** Leaves the network out; more sequences never give more hope. It remembers no replica, of which there may be a million. */
  readonly anywhere: ReplicaHope
  /** The same of exactly so many sequences, for how they may be put into microbatches: more may give more hope. */
  readonly divided: ReplicaHope
  /** By the least time of a sequence, on any part with so many chips or more. */
  readonly paced: (fewest: number) => Paced
  /** Takes a part of the model's cluster into account; on a torus it is no closer than `anywhere`. */
  readonly on: (part: Cluster) => ReplicaHope
}

/** How many replicas are remembered at once, on each kind of network: more than some framework runs. */
const mostKept = 30_000

export function replicaHopes(model: CostModel, shared: KnownBefore = nothingKnown()): ReplicaHopes {
  const known = new Map<string, ReplicaHope>()
  const anywhere = hopeEver(soonest(model), shared)
  const scale = createScale()
  const floors = meshFloors(soonest(model), shared)
  const divided: ReplicaHope = (replica, each, limit) =>
    floors.mayCompute(replica, scale, limit * (1 + 1e-9), choicesOf(model, replica, each))
  const ever = remembered(anywhere)
  const on: ReplicaHopes['on'] = (part) => {
    const { network } = part
    if (network.kind === 'torus') return ever
    const filled = filledTiers(network)
    const key = `${network.tiers[0]?.size} ${part.chips < filled ? part.chips : ''}`
    const found = known.get(key)
    if (found) return found
    const cluster = part.chips < filled ? part : unbounded(part, network)
    const here = replicaHope(onCluster(model, cluster), shared)
    const hope: ReplicaHope = (replica, each, limit) =>
      ever(replica, each, limit) && here(replica, each, limit)
    known.set(key, hope)
    return hope
  }
  return { anywhere, divided, paced: (fewest) => pacedOn(soonest(model), shared, fewest), on }
}

/** Whether there is hope with any microbatches on any network. */
function hopeEver(model: CostModel, shared: KnownBefore): ReplicaHope {
  const scale = createScale()
  const rooms = roomFloors(model, shared)
  return (replica, each, limit) => rooms.ever(replica, scale, limit, each)
}

/** A number of sequences that is too many is so for all larger ones. */
function remembered(hope: ReplicaHope): ReplicaHope {
  const known = new Map<Mesh, { hopeless: number; hopeful: number; limit: Seconds }>()
  return (replica, each, limit) => {
    if (known.size >= mostKept) known.clear()
    const of = known.get(replica) ?? { hopeless: Number.POSITIVE_INFINITY, hopeful: 0, limit }
    known.set(replica, of)
    if (of.limit !== limit) Object.assign(of, { hopeful: 0, limit })
    if (each >= of.hopeless) return false
    if (each <= of.hopeful) return true
    const may = hope(replica, each, limit)
    if (may) of.hopeful = each
    else of.hopeless = each
    return may
  }
}

function replicaHope(model: CostModel, shared: KnownBefore): ReplicaHope {
  const scale = createScale()
  const alone = soonest(model)
  // Less moves of these models.
  const floorsOf = (nested: boolean) =>
    once(() => meshFloors(withinReplica(alone, { nested }), { ...shared, sums: new WeakMap() }))
  const [apart, nested] = [floorsOf(false), floorsOf(true)]
  const { network } = model.problem.cluster
  const known = new Map<Mesh, Map<number, Seconds>>()
  return (replica, each, limit) => {
    if (known.size >= mostKept) known.clear()
    const ofReplica = known.get(replica) ?? new Map<number, Seconds>()
    known.set(replica, ofReplica)
    // A negative entry means that the replica was proven over an earlier limit; another is the limit within which it may be.
    const before = ofReplica.get(each)
    if (before !== undefined && (before < 0 || before === limit)) return before > 0
    const tried = choicesOf(model, replica, each)
    const most = limit * (1 + 1e-9)
    const floors = replicasNest(network, replica) ? nested() : apart()
    const may = floors.mayBe(replica, scale, most, tried)
    ofReplica.set(each, may ? limit : -1)
    return may
  }
}

function choicesOf({ problem }: CostModel, replica: Mesh, each: number): readonly Microbatching[] {
  return microbatchChoices(replica, problem, each * replica.expert * problem.workload.sequenceLength)
}

/** With the overhead of a step on a single node, which no number of nodes is under. */
function soonest(model: CostModel): CostModel {
  return { ...model, stepOverhead: model.problem.assumptions.stepOverheadSeconds }
}
