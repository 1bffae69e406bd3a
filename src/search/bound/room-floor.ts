/**
 * Whether a mesh, or one replica of it, has room for the layers within a time and the memory at once (stage-room.ts), on the best
 * conceivable placement: what memory forces to be recomputed counts.
 *
 * For one replica with E sequences, in microbatches of s: the time per sequence is least with all in one microbatch, and the memory
 * with one sequence in each, as s·f(E/s) >= f(E) for the f microbatches in flight. With the bubbles of microbatches of one sequence, no
 * layout is under that, and more sequences never take less: of each replica it is enough to know the fewest sequences that are too many.
 */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { addBuckets, createTraffic, exposedAt } from '../../cost/communication/traffic.ts'
import type { Window } from '../../cost/compile/compile.ts'
import { createScale, type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import type { StateNumbers } from '../../cost/memory/layer-bytes.ts'
import {
  type Activations,
  activationsOf,
  layerStates,
  memoryOfLayers,
  type States,
  statesOf,
} from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, computeNumbers } from '../../cost/step/microbatch.ts'
import { known } from '../../known.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { type Microbatching, replicaZeroChoices } from '../layouts/choices.ts'
import { byReplica } from './by-replica.ts'
import { fillingsOf } from './fillings.ts'
import { mostRoutedOverlap, ofBatch } from './floor-sums.ts'
import type { LayerNeeds } from './most-layers.ts'
import type { OnAnyNetwork } from './on-any-network.ts'
import { countedComposition, countedKind, layerRoom, type StageNeeds, type Timed } from './stage-room.ts'

/** The caller has put the mesh into the scale, except for `ever`. */
export interface RoomFloors {
  readonly within: (
    mesh: Mesh,
    scale: Scale,
    limit: Seconds,
    choice: Microbatching,
    there: { readonly costs: NetworkCosts; readonly zeroStage: ZeroStage },
  ) => boolean
  /** Whether times of so many sequences are known, so that `within` takes little. */
  readonly knows: (mesh: Mesh, choice: Microbatching) => boolean
  /** The same for a replica, with states sharded over as many replicas as there may be. */
  readonly ofReplica: (
    replica: Mesh,
    scale: Scale,
    limit: Seconds,
    choice: Microbatching,
    costs: NetworkCosts,
  ) => boolean
  /** What `ofReplica` says where it is known what the replica needs; else true. */
  readonly mayHold: (replica: Mesh, limit: Seconds, choice: Microbatching) => boolean
  /** The same however the sequences of a replica are put into microbatches, and whatever the network. */
  readonly ever: (replica: Mesh, scale: Scale, limit: Seconds, sequencesEach: number) => boolean
}

export function roomFloors(model: CostModel, { computes, activations }: OnAnyNetwork): RoomFloors {
  const { problem } = model
  const { assumptions } = problem
  const room = layerRoom(model)
  const fillings = fillingsOf(model)
  const beside = { assumptions, experts: problem.model.experts, routedOverlap: mostRoutedOverlap(problem) }
  const manyReplicas = nothingSharded(createScale())
  let asked: Sharded | null = null
  const timings = byReplica<Timed>({ pipelined: true })
  const layers = new WeakMap<Timed, LayerNeeds>()
  const everNeeds = byReplica<readonly StageNeeds[]>({ pipelined: true })
  const replicaNeeds = byReplica<readonly StageNeeds[]>({ pipelined: true })
  const counted = modelOfKind(model)
  const traffic = createTraffic(model.resources)
  /** The model whose numbers a stage of the mesh is asked with, and the question that it is asked. */
  const modelFor = ({ pipeline }: Mesh): CostModel => (pipeline > 1 ? counted : model)

  const computed = (mesh: Mesh, sequences: number, scale: Scale): ComputeNumbers => {
    setBatch(scale, sequences)
    return computeNumbers(modelFor(mesh), scale)
  }
  const computeOf = (mesh: Mesh, sequences: number, scale: Scale): ComputeNumbers =>
    computes.find(mesh, sequences) ?? computes.keep(mesh, sequences, computed(mesh, sequences, scale))
  const exposed = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): readonly Seconds[] => {
    setBatch(scale, sequences)
    const seconds = (window: Window | undefined): Seconds => {
      traffic.fill(0)
      addBuckets(traffic, ofBatch(window), scale, costs, beside)
      return traffic[exposedAt] ?? 0
    }
    const layer = modelFor(mesh).stages[0]?.layer
    const forwards = seconds(layer?.forward)
    return layer?.backward.map((window) => forwards + seconds(window)) ?? []
  }
  const untilLimit = (limit: Seconds) => limit * (1 + 1e-9) - model.stepOverhead

  /** The scale holds the mesh. */
  const activationsBy = (mesh: Mesh, sequences: number, scale: Scale): Activations => {
    const found = activations.find(mesh, sequences)
    if (found) return found
    setBatch(scale, sequences)
    return activations.keep(mesh, sequences, activationsOf(modelFor(mesh), scale))
  }
  /** What a stage of the mesh needs, with states as they are sharded on the mesh that the scale of `sharded` holds. */
  const needsOf = (mesh: Mesh, zeroStage: ZeroStage, sharded: Sharded, held: Activations, timed: Timed) => {
    const own = modelFor(mesh)
    const stage = stageModel(own, zeroStage)
    if (mesh.pipeline === 1) {
      const { compute, exposed, of } = timed
      sharded.model[zeroStage] ??= statesOf(own, stage, sharded.scale)
      const states = sharded.model[zeroStage]
      const memory = memoryOfLayers(own, stage, states, held, countedComposition(own))
      return room.alone({ compute, exposed, of, memory })
    }
    const { average: activations } = held
    sharded.layer[zeroStage] ??= layerStates(own, stage, sharded.scale)
    return room.among({
      ...{ compute: timed.compute, of: timed.of, activations },
      layers: known(layers, timed, () => room.layers(timed, activations)),
      states: sharded.layer[zeroStage],
      shardsOptimizer: zeroStage > 0,
    })
  }
  /** By ZeRO stage, where there are as many replicas as there may be. */
  const leastNeeds = (replica: Mesh, held: Activations, timed: Timed): readonly StageNeeds[] => {
    if (manyReplicas.mesh !== replica) {
      const many = { ...replica, data: Number.POSITIVE_INFINITY, fsdp: Number.POSITIVE_INFINITY }
      setMesh(manyReplicas.scale, many, model.extents, assumptions)
    }
    shardedOn(manyReplicas, replica)
    const stages = replicaZeroChoices(replica, problem)
    return stages.map((zeroStage) => needsOf(replica, zeroStage, manyReplicas, held, timed))
  }
  const timedBy = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): Timed => {
    const found = timings.find(mesh, sequences)
    if (found) return found
    const compute = computeOf(mesh, sequences, scale)
    return timings.keep(mesh, sequences, { compute, exposed: exposed(mesh, sequences, scale, costs), of: 1 })
  }
  const holds = (mesh: Mesh, microbatches: number, needs: StageNeeds, limit: Seconds): boolean =>
    fillings
      .of(mesh, microbatches)
      .some((filling) => room.holds(filling, microbatches, needs, untilLimit(limit)))
  return {
    within: (mesh, scale, limit, { sequences, microbatches }, { costs, zeroStage }) => {
      const timed = timedBy(mesh, sequences, scale, costs)
      if (asked?.scale !== scale) asked = nothingSharded(scale)
      const sharded = shardedOn(asked, mesh)
      const needs = needsOf(mesh, zeroStage, sharded, activationsBy(mesh, sequences, scale), timed)
      return holds(mesh, microbatches, needs, limit)
    },
    knows: (mesh, { sequences }) => timings.find(mesh, sequences) !== undefined,
    mayHold: (replica, limit, { sequences, microbatches }) =>
      replicaNeeds.find(replica, sequences)?.some((own) => holds(replica, microbatches, own, limit)) ?? true,
    ofReplica: (replica, scale, limit, { sequences, microbatches }, costs) => {
      const needs =
        replicaNeeds.find(replica, sequences) ??
        replicaNeeds.keep(replica, sequences, needsOfReplica(replica, sequences, scale, costs))
      return needs.some((own) => holds(replica, microbatches, own, limit))
    },
    ever: (replica, scale, limit, each) => {
      if (assumptions.tokensDivideFreely) return true
      // Computed for the next power of two of sequences, which take less each, so that a few results serve all.
      const most = 2 ** Math.ceil(Math.log2(each))
      const sequences = most * replicasOf(replica)
      const needs =
        everNeeds.find(replica, sequences) ??
        everNeeds.keep(replica, sequences, needsEver(replica, scale, most))
      return fillings
        .ever(replica, each)
        .some((filling) => needs.some((own) => room.holds(filling, each, own, untilLimit(limit))))
    },
  }

  function needsOfReplica(replica: Mesh, sequences: number, scale: Scale, costs: NetworkCosts) {
    const timed = timedBy(replica, sequences, scale, costs)
    return leastNeeds(replica, activationsBy(replica, sequences, scale), timed)
  }

  /** Needs by ZeRO stage. */
  function needsEver(replica: Mesh, scale: Scale, each: number): readonly StageNeeds[] {
    setMesh(scale, replica, model.extents, assumptions)
    const compute = computeOf(replica, each * replicasOf(replica), scale)
    const held = activationsBy(replica, replicasOf(replica), scale)
    return leastNeeds(replica, held, { compute, exposed: [], of: each })
  }
}

/** States on the mesh that a scale holds, by ZeRO stage: made once while the same mesh is asked. */
interface Sharded {
  readonly scale: Scale
  mesh: Mesh | null
  readonly layer: StateNumbers[]
  readonly model: States[]
}

function nothingSharded(scale: Scale): Sharded {
  return { scale, mesh: null, layer: [], model: [] }
}

function shardedOn(sharded: Sharded, mesh: Mesh): Sharded {
  if (sharded.mesh === mesh) return sharded
  sharded.mesh = mesh
  sharded.layer.length = 0
  sharded.model.length = 0
  return sharded
}

/** The model of the only kind of layers that counts. */
function modelOfKind(model: CostModel): CostModel {
  const kind = countedKind(model)
  if (kind === null) return model
  const kinds = model.kinds?.()
  return (kind.sparse > 0 ? kinds?.sparse : kinds?.dense) ?? model
}
