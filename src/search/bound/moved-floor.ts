/** What sequences move at least inside their replica, activations and keys around a ring, on a chip that had all layers. */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import {
  addBuckets,
  addScaled,
  cleared,
  createTraffic,
  type Traffic,
} from '../../cost/communication/traffic.ts'
import type { Window } from '../../cost/compile/compile.ts'
import { type Scale, setBatch } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ByReplica } from './by-replica.ts'
import type { Moved } from './choice-floor.ts'
import { mostRoutedOverlap, ofBatch } from './floor-sums.ts'

/** Of so many sequences of all replicas. The scale holds the mesh. */
export type MovedFloor = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts) => Moved

/** Asked once for each replica and number of sequences. */
export function movedFloor(model: CostModel, moves: ByReplica<Moved>): MovedFloor {
  const movedOf = movedBy(model)
  return (mesh, sequences, scale, costs) =>
    moves.find(mesh, sequences) ?? moves.keep(mesh, sequences, movedOf(mesh, sequences, scale, costs))
}

export function movedBy(model: CostModel): MovedFloor {
  const { assumptions, model: transformer } = model.problem
  const { layers, experts } = transformer
  const beside = { assumptions, experts, routedOverlap: mostRoutedOverlap(model.problem) }
  const one = createTraffic(model.resources)
  const half = (
    layer: Window | undefined,
    head: Window | undefined,
    scale: Scale,
    costs: NetworkCosts,
  ): Traffic => {
    const traffic = createTraffic(model.resources)
    cleared(one)
    addBuckets(traffic, ofBatch(head), scale, costs, beside)
    addBuckets(one, ofBatch(layer), scale, costs, beside)
    addScaled(traffic, one, layers)
    return traffic
  }
  return (_, sequences, scale, costs) => {
    setBatch(scale, sequences)
    const [stage] = model.stages
    return {
      forward: half(stage?.layer.forward, stage?.head.forward, scale, costs),
      backward: half(model.leastBackward, stage?.head.backward, scale, costs),
    }
  }
}
