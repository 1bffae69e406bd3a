/** What sequences take to compute at least on a chip that had all layers, with nothing recomputed. */
import type { Window } from '../../cost/compile/compile.ts'
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { computeTime } from '../../cost/compute/compute.ts'
import type { CostModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ByReplica } from './by-replica.ts'
import type { Work } from './choice-floor.ts'

/** Of so many sequences of all replicas. The scale is put to the mesh where that is not known yet. */
export type ComputeFloor = (mesh: Mesh, sequences: number, scale: Scale) => Work

export function computeFloor(
  model: CostModel,
  works: ByReplica<Work>,
  { splits }: { readonly splits: boolean },
): ComputeFloor {
  const { layers } = model.problem.model
  const [stage] = model.stages
  const time = (products: Window['products'] = [], scale: Scale) => computeTime(products, scale, model.rates)
  const half = (layer: Window | undefined, head: Window | undefined, scale: Scale) =>
    layers * (time(layer?.products, scale) + model.layerOverhead) + time(head?.products, scale)
  const workOf = (mesh: Mesh, sequences: number, scale: Scale): Work => {
    setMesh(scale, mesh, model.extents, model.problem.assumptions)
    setBatch(scale, sequences)
    const gradients = model.weightGradients
    return {
      forward: half(stage?.layer.forward, stage?.head.forward, scale),
      backward: half(model.leastBackward, stage?.head.backward, scale),
      weightGradients: splits ? layers * time(gradients.layer, scale) + time(gradients.head, scale) : 0,
    }
  }
  return (mesh, sequences, scale) =>
    works.find(mesh, sequences) ?? works.keep(mesh, sequences, workOf(mesh, sequences, scale))
}
