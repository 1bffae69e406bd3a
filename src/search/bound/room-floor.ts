/**
 * Whether a mesh, or one replica of it, has room for the layers within a time and the memory at once (stage-room.ts), on the best
 * conceivable placement: what memory forces to be recomputed counts.
 *
 * For one replica with E sequences, in microbatches of s: the time per sequence is least with all in one microbatch, and the memory
 * with one sequence in each, as s·f(E/s) >= f(E) for the f microbatches in flight. With the bubbles of microbatches of one sequence, no
 * layout is under that, and more sequences never take less: of each replica it is enough to know the fewest sequences that are too many.
 */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { type Scale, setMesh } from '../../cost/compile/term.ts'
import type { Activations } from '../../cost/memory/memory-numbers.ts'
import type { CostModel } from '../../cost/model.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { type Microbatching, replicaZeroChoices } from '../layouts/choices.ts'
import { fillingsOf } from './fillings.ts'
import type { KnownBefore } from './known-before.ts'
import type { NeedsByStage } from './on-networks.ts'
import { needsOfStages } from './stage-needs.ts'
import { layerRoom, type StageNeeds, type Timed } from './stage-room.ts'

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

export function roomFloors(model: CostModel, shared: KnownBefore): RoomFloors {
  const { problem } = model
  const { assumptions } = problem
  const room = layerRoom(model)
  const needs = needsOfStages(model, shared, room)
  const fillings = fillingsOf(model, shared.fillings)
  const { everNeeds } = shared
  const { replicaNeeds } = shared.networks(model.prices)

  const untilLimit = (limit: Seconds) => limit * (1 + 1e-9) - model.stepOverhead
  const holds = (mesh: Mesh, microbatches: number, own: StageNeeds, limit: Seconds): boolean =>
    fillings
      .of(mesh, microbatches)
      .some((filling) => room.holds(filling, microbatches, own, untilLimit(limit)))
  return {
    within: (mesh, scale, limit, { sequences, microbatches }, { costs, zeroStage }) => {
      const timed = needs.timed(mesh, sequences, scale, costs)
      const own = needs.of(mesh, zeroStage, scale, needs.held(mesh, sequences, scale), timed)
      return holds(mesh, microbatches, own, limit)
    },
    knows: (mesh, { sequences }) => needs.isTimed(mesh, sequences),
    mayHold: (replica, limit, { sequences, microbatches }) => {
      const own = replicaNeeds.find(replica, sequences)
      return replicaZeroChoices(replica, problem).some((zeroStage) => {
        const needs = own?.[zeroStage]
        return !needs || holds(replica, microbatches, needs, limit)
      })
    },
    ofReplica: (replica, scale, limit, { sequences, microbatches }, costs) => {
      const own = replicaNeeds.find(replica, sequences) ?? replicaNeeds.keep(replica, sequences, [])
      const needed = needsOf(replica, own, () => ({
        timed: needs.timed(replica, sequences, scale, costs),
        held: needs.held(replica, sequences, scale),
      }))
      return needed.some((each) => holds(replica, microbatches, each, limit))
    },
    ever: (replica, scale, limit, each) => {
      if (assumptions.tokensDivideFreely) return true
      // Computed for the next power of two of sequences, which take less each, so that a few results serve all.
      const most = 2 ** Math.ceil(Math.log2(each))
      const sequences = most * replicasOf(replica)
      const own = everNeeds.find(replica, sequences) ?? everNeeds.keep(replica, sequences, [])
      const needed = needsOf(replica, own, () => {
        setMesh(scale, replica, model.extents, assumptions)
        const compute = needs.computed(replica, sequences, scale)
        return {
          timed: { compute, exposed: [], of: most },
          held: needs.held(replica, replicasOf(replica), scale),
        }
      })
      return fillings
        .ever(replica, each)
        .some((filling) => needed.some((stage) => room.holds(filling, each, stage, untilLimit(limit))))
    },
  }

  /** Of the ZeRO stages that may be; those that were not asked for yet are added to `own`. */
  function needsOf(replica: Mesh, own: NeedsByStage, ask: () => Asked): readonly StageNeeds[] {
    let asked: Asked | null = null
    return replicaZeroChoices(replica, problem).map((zeroStage) => {
      const known = own[zeroStage]
      if (known) return known
      asked ??= ask()
      const made = needs.least(replica, zeroStage, asked.held, asked.timed)
      own[zeroStage] = made
      return made
    })
  }
}

/** What of a replica its needs are worked out from. */
interface Asked {
  readonly timed: Timed
  readonly held: Activations
}
