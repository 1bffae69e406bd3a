/**
 * What a microbatch takes at least on a chip that had all layers, known of few sizes. With m microbatches of s sequences each, one after the
 * other, and the turns w that a stage of p waits, no layout is under
 *
 *   (m + w)·t(s)/p
 *
 * Every product takes the longer of two times that are each a·s + b, and so does every transfer, but for a root of s: t(s) never
 * falls, and t(s)/s never rises. So between two sizes that are known, t(s) >= max(t(s1), s/s2·t(s2)). Powers of two, which replicas and
 * numbers of chips share, say so of all others.
 */
import { windowTime } from '../../cost/communication/traffic.ts'
import { type Scale, setMesh } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { ByReplica } from './by-replica.ts'
import type { ComputeFloor } from './compute-floor.ts'
import type { MovedFloor } from './moved-floor.ts'

/** The time of so many sequences over all replicas of the mesh. */
export type TimeOf = (mesh: Mesh, sequences: number, scale: Scale) => Seconds

/** By power of two of the sequences of each replica; 0 where it was not asked for yet. */
export type Times = Float64Array

const mostPower = 48

/** What a microbatch computes and moves inside its replica, by the sizes of its axes alone. `movedBy` is asked for nothing else. */
export function turnFloor(model: CostModel, work: ComputeFloor, movedBy: MovedFloor): TimeOf {
  const { assumptions } = model.problem
  return (mesh, sequences, scale) => {
    const own = work(mesh, sequences, scale)
    setMesh(scale, mesh, model.extents, assumptions)
    const moved = movedBy(mesh, sequences, scale, model.prices.bySize(mesh))
    const forward = windowTime(own.forward, moved.forward, 'expected')
    return forward + windowTime(own.backward, moved.backward, 'expected')
  }
}

/** No more than the time, of which only powers of two are asked. */
export function leastTime(timeOf: TimeOf, known: ByReplica<Times>): TimeOf {
  return (mesh, sequences, scale) => {
    const replicas = replicasOf(mesh)
    const times = known.find(mesh, replicas) ?? known.keep(mesh, replicas, new Float64Array(mostPower))
    const power = Math.floor(Math.log2(sequences / replicas))
    const fewer = replicas * 2 ** power
    const less = times[power] || timeOf(mesh, fewer, scale)
    const more = times[power + 1] || timeOf(mesh, 2 * fewer, scale)
    times[power] = less
    times[power + 1] = more
    return Math.max(less, (sequences / (2 * fewer)) * more)
  }
}
