/**
 * What stages need of time and memory for each of their layers, on the best conceivable placement, kept by mesh and sequences: the
 * numbers that rooms are asked with (room-floor.ts).
 */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { exposedSeconds } from '../../cost/communication/traffic.ts'
import type { Window } from '../../cost/compile/compile.ts'
import { createScale, type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import {
  type Activations,
  activationsOf,
  layerStates,
  memoryOfLayers,
  statesOf,
} from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, computeNumbers } from '../../cost/step/microbatch.ts'
import { known, once } from '../../known.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { mostRoutedOverlap, ofBatch } from './floor-sums.ts'
import type { KnownBefore } from './known-before.ts'
import { nothingSharded, type Sharded } from './sharded.ts'
import { countedComposition, countedKind, type Room, type StageNeeds, type Timed } from './stage-room.ts'

/** A scale that is handed over holds the mesh. */
export interface NeedsOfStages {
  readonly computed: (mesh: Mesh, sequences: number, scale: Scale) => ComputeNumbers
  readonly timed: (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts) => Timed
  readonly isTimed: (mesh: Mesh, sequences: number) => boolean
  readonly held: (mesh: Mesh, sequences: number, scale: Scale) => Activations
  readonly of: (mesh: Mesh, zeroStage: ZeroStage, scale: Scale, held: Activations, timed: Timed) => StageNeeds
  /** Where there are as many replicas as there may be. */
  readonly least: (replica: Mesh, zeroStage: ZeroStage, held: Activations, timed: Timed) => StageNeeds
}

export function needsOfStages(
  model: CostModel,
  { computes, activations, mostSharded, networks }: KnownNeeds,
  room: Pick<Room, 'alone' | 'among' | 'layers'>,
): NeedsOfStages {
  const { problem } = model
  const { assumptions } = problem
  const beside = { assumptions, experts: problem.model.experts, routedOverlap: mostRoutedOverlap(problem) }
  const manyReplicas = once(() => createScale())
  let asked: Asked | null = null
  const { timings, layers } = networks(model.prices)
  const counted = modelOfKind(model)
  const allLayers = countedComposition(model)
  /** The model whose numbers a stage of the mesh is asked with, and the question that it is asked. */
  const modelFor = ({ pipeline }: Mesh): CostModel => (pipeline > 1 ? counted : model)

  const computed = (mesh: Mesh, sequences: number, scale: Scale): ComputeNumbers => {
    const found = computes.find(mesh, sequences)
    if (found) return found
    setBatch(scale, sequences)
    return computes.keep(mesh, sequences, computeNumbers(modelFor(mesh), scale))
  }
  const exposed = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): readonly Seconds[] => {
    setBatch(scale, sequences)
    const seconds = (window: Window | undefined) => exposedSeconds(ofBatch(window), scale, costs, beside)
    const layer = modelFor(mesh).stages[0]?.layer
    const forwards = seconds(layer?.forward)
    return layer?.backward.map((window) => forwards + seconds(window)) ?? []
  }
  /** What a stage of the mesh needs, with states as they are sharded on the mesh that the scale holds. */
  const needs = (
    mesh: Mesh,
    zeroStage: ZeroStage,
    { sharded, scale }: OnScale,
    held: Activations,
    timed: Timed,
  ) => {
    const own = modelFor(mesh)
    const stage = stageModel(own, zeroStage)
    if (mesh.pipeline === 1) {
      const { compute, exposed, of } = timed
      sharded.model[zeroStage] ??= statesOf(own, stage, scale)
      const states = sharded.model[zeroStage]
      const memory = memoryOfLayers(own, stage, states, held, allLayers)
      return room.alone({ compute, exposed, of, memory })
    }
    const { average: activations } = held
    sharded.layer[zeroStage] ??= layerStates(own, stage, scale)
    return room.among({
      ...{ compute: timed.compute, of: timed.of, activations },
      layers: known(layers, timed, () => room.layers(timed, activations)),
      states: sharded.layer[zeroStage],
      shardsOptimizer: zeroStage > 0,
    })
  }
  return {
    computed,
    timed: (mesh, sequences, scale, costs) => {
      const found = timings.find(mesh, sequences)
      if (found) return found
      const compute = computed(mesh, sequences, scale)
      return timings.keep(mesh, sequences, {
        compute,
        exposed: exposed(mesh, sequences, scale, costs),
        of: 1,
      })
    },
    isTimed: (mesh, sequences) => timings.find(mesh, sequences) !== undefined,
    held: (mesh, sequences, scale) => {
      const found = activations.find(mesh, sequences)
      if (found) return found
      setBatch(scale, sequences)
      return activations.keep(mesh, sequences, activationsOf(modelFor(mesh), scale))
    },
    of: (mesh, zeroStage, scale, held, timed) => {
      if (asked?.mesh !== mesh || asked.scale !== scale) asked = { mesh, scale, sharded: nothingSharded() }
      return needs(mesh, zeroStage, asked, held, timed)
    },
    least: (replica, zeroStage, held, timed) => {
      const one = replicasOf(replica)
      const sharded = mostSharded.find(replica, one) ?? mostSharded.keep(replica, one, nothingSharded())
      const scale = manyReplicas()
      if (!(replica.pipeline === 1 ? sharded.model : sharded.layer)[zeroStage]) {
        const many = { ...replica, data: Number.POSITIVE_INFINITY, fsdp: Number.POSITIVE_INFINITY }
        setMesh(scale, many, model.extents, assumptions)
      }
      return needs(replica, zeroStage, { sharded, scale }, held, timed)
    },
  }
}

type KnownNeeds = Pick<KnownBefore, 'computes' | 'activations' | 'mostSharded' | 'networks'>

/** What a mesh holds, and the scale that holds the mesh where some of that is not known yet. */
interface OnScale {
  readonly scale: Scale
  readonly sharded: Sharded
}

/** The mesh that was asked last: it is asked several times, one after another. */
interface Asked extends OnScale {
  readonly mesh: Mesh
}
/** The model of the only kind of layers that counts. */
function modelOfKind(model: CostModel): CostModel {
  const kind = countedKind(model)
  if (kind === null) return model
  const kinds = model.kinds?.()
  return (kind.sparse > 0 ? kinds?.sparse : kinds?.dense) ?? model
}
