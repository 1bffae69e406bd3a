/**
 * What sequences take to compute at least on a chip that had all layers, with nothing recomputed, and whether a number of microbatches
 * leaves time for that: m of them, each of t(s) for its s sequences, and the turns w that a stage waits,
 *
 *   (m + w)·t(s)/p <= limit
 *
 * Every product takes the longer of two times that are each a·s + b, so that t(s) never falls and t(s)/s never rises: between two sizes
 * that are known, t(s) >= max(t(s1), s/s2·t(s2)). Powers of two, which replicas and numbers of chips share, say so of most others.
 */
import type { Window } from '../../cost/compile/compile.ts'
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { computeTime } from '../../cost/compute/compute.ts'
import type { CostModel } from '../../cost/model.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { Microbatching } from '../layouts/choices.ts'
import type { ByReplica } from './by-replica.ts'
import type { Work } from './choice-floor.ts'

export interface ComputeFloor {
  /** Of so many sequences of all replicas. The scale is put to the mesh where that is not known yet. */
  readonly of: (mesh: Mesh, sequences: number, scale: Scale) => Work
  /** No more than that, forwards and backwards, and known of few sizes. */
  readonly least: (mesh: Mesh, sequences: number, scale: Scale) => Seconds
  /** Whether `turns` microbatches one after the other may be within the limit: rounding is the caller's. */
  readonly mayTake: (
    mesh: Mesh,
    scale: Scale,
    limit: Seconds,
    choice: Pick<Microbatching, 'sequences'>,
    turns: number,
  ) => boolean
}

export function computeFloor(
  model: CostModel,
  works: ByReplica<Work>,
  { splits }: { readonly splits: boolean },
): ComputeFloor {
  const { layers } = model.problem.model
  const { tokensDivideFreely, choicesApart } = model.problem.assumptions
  const [stage] = model.stages
  const time = (products: Window['products'] = [], scale: Scale) => computeTime(products, scale, model.rates)
  const half = (layer: Window | undefined, head: Window | undefined, scale: Scale) =>
    layers * (time(layer?.products, scale) + model.layerOverhead) + time(head?.products, scale)
  const workOf = (mesh: Mesh, sequences: number, scale: Scale): Work => {
    setMesh(scale, mesh, model.extents, tokensDivideFreely, choicesApart)
    setBatch(scale, sequences)
    const gradients = model.weightGradients
    return {
      forward: half(stage?.layer.forward, stage?.head.forward, scale),
      backward: half(model.leastBackward, stage?.head.backward, scale),
      weightGradients: splits ? layers * time(gradients.layer, scale) + time(gradients.head, scale) : 0,
    }
  }
  const of = (mesh: Mesh, sequences: number, scale: Scale): Work =>
    works.find(mesh, sequences) ?? works.keep(mesh, sequences, workOf(mesh, sequences, scale))
  const both = (mesh: Mesh, sequences: number, scale: Scale): Seconds => {
    const { forward, backward } = of(mesh, sequences, scale)
    return forward + backward
  }
  const least = (mesh: Mesh, sequences: number, scale: Scale): Seconds => {
    const replicas = replicasOf(mesh)
    const fewer = replicas * 2 ** Math.floor(Math.log2(sequences / replicas))
    return Math.max(both(mesh, fewer, scale), (sequences / (2 * fewer)) * both(mesh, 2 * fewer, scale))
  }
  return {
    of,
    least,
    mayTake: (mesh, scale, limit, { sequences }, turns) => {
      if (limit === Number.POSITIVE_INFINITY) return true
      const most = (limit * mesh.pipeline) / turns
      if (!tokensDivideFreely && least(mesh, sequences, scale) > most) return false
      return both(mesh, sequences, scale) <= most
    },
  }
}
