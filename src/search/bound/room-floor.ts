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
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Activations, activationsOf, memoryNumbers } from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, computeNumbers } from '../../cost/step/microbatch.ts'
import { satisfies } from '../../problem.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { type Microbatching, zeroChoices } from '../layouts/choices.ts'
import { byReplica } from './by-replica.ts'
import { fillingsOf } from './fillings.ts'
import { mostRoutedOverlap, ofBatch } from './floor-sums.ts'
import type { OnAnyNetwork } from './on-any-network.ts'
import { countedKind, layerRoom, type StageNeeds } from './stage-room.ts'

/** The caller has put the mesh into the scale, except for `ever`. */
export interface RoomFloors {
  readonly within: (
    mesh: Mesh,
    scale: Scale,
    limit: Seconds,
    choice: Microbatching,
    there: { readonly costs: NetworkCosts; readonly zeroStage: ZeroStage },
  ) => boolean
  /** The same for a replica, with states sharded over as many replicas as there may be. */
  readonly ofReplica: (
    replica: Mesh,
    scale: Scale,
    limit: Seconds,
    choice: Microbatching,
    costs: NetworkCosts,
  ) => boolean
  /** The same however the sequences of a replica are put into microbatches; `any` leaves the network out. */
  readonly ever: (
    replica: Mesh,
    scale: Scale,
    limit: Seconds,
    sequencesEach: number,
    network: 'any' | 'its own',
  ) => boolean
}

export function roomFloors(model: CostModel, { computes, activations }: OnAnyNetwork): RoomFloors {
  const { problem } = model
  const { assumptions } = problem
  const room = layerRoom(model)
  const fillings = fillingsOf(model)
  const beside = { assumptions, experts: problem.model.experts, routedOverlap: mostRoutedOverlap(problem) }
  const manyReplicas = createScale()
  const exposures = byReplica<readonly Seconds[]>({ pipelined: true })
  const everNeeds = byReplica<readonly StageNeeds[]>({ pipelined: true })
  const counted = modelOfKind(model)
  /** The model whose numbers a stage of the mesh is asked with, and the question that it is asked. */
  const modelFor = ({ pipeline }: Mesh): CostModel => (pipeline > 1 ? counted : model)
  const needsFor = ({ pipeline }: Mesh) => (pipeline > 1 ? room.among : room.alone)

  const computeOf = (mesh: Mesh, sequences: number, scale: Scale): ComputeNumbers =>
    computes(mesh, sequences, () => {
      setBatch(scale, sequences)
      return computeNumbers(modelFor(mesh), scale)
    })
  const exposedOf = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts) =>
    exposures(mesh, sequences, (): readonly Seconds[] => {
      setBatch(scale, sequences)
      const seconds = (window: Window | undefined): Seconds => {
        const traffic = createTraffic(model.resources)
        addBuckets(traffic, ofBatch(window), scale, costs, beside)
        return traffic[exposedAt] ?? 0
      }
      const layer = modelFor(mesh).stages[0]?.layer
      const forwards = seconds(layer?.forward)
      return layer?.backward.map((window) => forwards + seconds(window)) ?? []
    })
  const untilLimit = (limit: Seconds) => limit * (1 + 1e-9) - model.stepOverhead

  const isWithin = (
    mesh: Mesh,
    scale: Scale,
    limit: Seconds,
    { sequences, microbatches }: Microbatching,
    { costs, memory }: { readonly costs: NetworkCosts; readonly memory: MemoryNumbers },
  ): boolean => {
    const compute = computeOf(mesh, sequences, scale)
    const exposed = exposedOf(mesh, sequences, scale, costs)
    const needs = needsFor(mesh)({ compute, exposed, memory, of: 1 })
    return fillings
      .of(mesh, microbatches)
      .some((filling) => room.holds(filling, microbatches, needs, untilLimit(limit)))
  }
  /** The scale holds the mesh. */
  const activationsBy = (mesh: Mesh, sequences: number, scale: Scale): Activations =>
    activations(mesh, sequences, () => {
      setBatch(scale, sequences)
      return activationsOf(modelFor(mesh), scale)
    })
  /** By ZeRO stage: of one microbatch of so many sequences. */
  const leastMemory = (replica: Mesh, scale: Scale, sequences: number): readonly MemoryNumbers[] => {
    const many = { ...replica, data: Number.POSITIVE_INFINITY, fsdp: Number.POSITIVE_INFINITY }
    setMesh(manyReplicas, many, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
    const own = modelFor(replica)
    const held = activationsBy(replica, sequences, scale)
    return zeroStagesOf(replica).map((zeroStage) =>
      memoryNumbers(own, stageModel(own, zeroStage), manyReplicas, held),
    )
  }
  /** That a mesh of such replicas may have. */
  const zeroStagesOf = (replica: Mesh): readonly ZeroStage[] => {
    const meshes = [replica, { ...replica, data: 2 }, { ...replica, fsdp: 2 }]
    const tried = new Set(meshes.flatMap((mesh) => zeroChoices(mesh, problem)))
    return [...tried].filter((zeroStage) => satisfies(zeroStage, problem.constraints.zeroStage))
  }
  return {
    within: (mesh, scale, limit, choice, { costs, zeroStage }) => {
      const own = modelFor(mesh)
      const held = activationsBy(mesh, choice.sequences, scale)
      const memory = memoryNumbers(own, stageModel(own, zeroStage), scale, held)
      return isWithin(mesh, scale, limit, choice, { costs, memory })
    },
    ofReplica: (replica, scale, limit, choice, costs) =>
      leastMemory(replica, scale, choice.sequences).some((memory) =>
        isWithin(replica, scale, limit, choice, { costs, memory }),
      ),
    ever: (replica, scale, limit, each, network) => {
      if (assumptions.tokensDivideFreely) return true
      // Computed for the next power of two of sequences, which take less each, so that a few results serve all.
      const most = 2 ** Math.ceil(Math.log2(each))
      const needs = everNeeds(replica, most * replicasOf(replica), () =>
        needsEver(replica, scale, most, network),
      )
      return fillings
        .ever(replica, each)
        .some((filling) => needs.some((own) => room.holds(filling, each, own, untilLimit(limit))))
    },
  }

  /** Needs by ZeRO stage, for each best case of the network. */
  function needsEver(
    replica: Mesh,
    scale: Scale,
    each: number,
    network: 'any' | 'its own',
  ): readonly StageNeeds[] {
    setMesh(scale, replica, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
    const sequences = each * replicasOf(replica)
    const compute = computeOf(replica, sequences, scale)
    const least = leastMemory(replica, scale, replicasOf(replica))
    const cases: readonly (readonly Seconds[])[] =
      network === 'any'
        ? [[]]
        : model.prices.bestCases(replica).map((costs) => exposedOf(replica, sequences, scale, costs))
    return cases.flatMap((exposed) =>
      least.map((memory) => needsFor(replica)({ compute, exposed, memory, of: each })),
    )
  }
}

/** The model of the only kind of layers that counts. */
function modelOfKind(model: CostModel): CostModel {
  const kind = countedKind(model)
  if (kind === null) return model
  const kinds = model.kinds?.()
  return (kind.sparse > 0 ? kinds?.sparse : kinds?.dense) ?? model
}
