/**
 * For all numbers of chips, the replicas that may be good enough there. Most numbers have none, and most replicas rule themselves out
 * whatever the number, so replicas are asked and not numbers. The fewer replicas there are, the more each has to do, so each is
 * asked with fewer and fewer until that is too much.
 */

import { concatenated } from '../../concatenated.ts'
import type { Crew } from '../../crew.ts'
import { known } from '../../known.ts'
import type { Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { sequencesEach } from '../layouts/choices.ts'
import type { Hopes } from './hopeful-meshes.ts'
import type { CountedReplica, Replica, Replicas } from './replicas.ts'

/** A replica that may still be good enough with so many stages: as it is with one of them, as it is, and its place among all. */
interface Left {
  readonly unpiped: Replica
  /** Null until it is asked about: of most, others say before that they are too many. */
  one: Replica | null
  readonly which: number
}

export interface HopesAnywhere extends Hopes {
  /** The fewest chips that there is any hope for. */
  readonly fewest: number
  /** By the least time of a sequence on a replica of one stage, whatever the network; more sequences never give more hope. */
  readonly paced: (unpiped: Replica, pipeline: number, sequencesEach: number) => boolean
}

/**
 * By number of chips. `hopes` must leave the network out; that of a replica must never improve with more sequences. Null when there are very many
 * replicas, or it is told to stop.
 */
export function hopefulReplicas(
  problem: Problem,
  { most, unpiped, stageCounts, staged }: Replicas,
  hopes: HopesAnywhere,
  stop: Stop,
  crew: Crew,
): ReadonlyMap<number, readonly CountedReplica[]> | null {
  const { chips: mostChips } = problem.cluster
  const { fewest } = hopes
  const ofOneStage = unpiped(mostChips, stop)
  if (!ofOneStage) return null
  const sizes = [...ofOneStage]
  const unstaged = concatenated(sizes.map(([, replicas]) => replicas))
  const stages = stageCounts(mostChips)
  /** For one number of stages, triples of chips, number of replicas and index of the replica; null when it is told to stop. */
  const hopefulWith = (pipeline: number): readonly number[] | null => {
    const found: number[] = []
    let first = 0
    for (const [size, replicas] of sizes) {
      if (stop()) return null
      const chipsEach = size * pipeline
      const fewestCount = Math.ceil(fewest / chipsEach)
      let count = Math.min(Math.floor(mostChips / chipsEach), most)
      const eachOfMost = sequencesEach(problem, count)
      // Of the many that are asked few are kept.
      let left: Left[] = []
      for (const [at, unpiped] of replicas.entries()) {
        if (count < fewestCount || !hopes.paced(unpiped, pipeline, eachOfMost)) continue
        left.push({ unpiped, one: null, which: first + at })
      }
      first += replicas.length
      while (left.length > 0 && count >= fewestCount) {
        // A replica is asked once for all counts that leave it as many sequences.
        const each = sequencesEach(problem, count)
        const counts: number[] = []
        for (; count >= fewestCount && sequencesEach(problem, count) === each; count--) {
          const chips = count * chipsEach
          if (hopes.work(chips, count) && hopes.stages(chips, count, pipeline)) counts.push(count)
        }
        left = left.filter((replica) => {
          const { unpiped, which } = replica
          const { mesh, spaces } = unpiped
          if (!hopes.paced(unpiped, pipeline, each)) return false
          const own = mesh.expert === 1 ? counts : counts.filter((of) => of % mesh.expert === 0)
          if (own.length === 0) return true
          replica.one ??= { mesh: { ...mesh, pipeline }, spaces }
          if (!hopes.replica(replica.one, each)) return false
          if (hopes.divided(replica.one, each)) for (const of of own) found.push(of * chipsEach, of, which)
          return true
        })
      }
    }
    return found
  }
  const all = crew.all(stages, hopefulWith, { stop })
  const hopeful = new Map<number, CountedReplica[]>()
  for (const [at, found] of all.entries()) {
    if (!found) return null
    const pipeline = stages[at] ?? 1
    for (let next = 0; next < found.length; next += 3) {
      const one = unstaged[found[next + 2] ?? 0]
      const there = known(hopeful, found[next] ?? 0, noReplicas)
      if (one) there.push({ replica: staged(one, pipeline), count: found[next + 1] ?? 0 })
    }
  }
  return hopeful
}

function noReplicas(): CountedReplica[] {
  return []
}
