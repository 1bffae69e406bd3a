/**
 * Of all numbers of chips the replicas that give hope there. Of most numbers none does, and most replicas rule themselves out
 * whatever the number: so replicas are asked, not numbers. The fewer replicas there are, the more each has to do, so that each is
 * asked until that is once too much.
 */

import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { sequencesEach } from '../layouts/choices.ts'
import type { Hopes } from './hopeful-meshes.ts'
import type { CountedReplica, Replicas } from './replicas.ts'

/** By number of chips. Hopes are of any network, and of more sequences never better. Null where replicas are very many, or it is told to stop. */
export function hopefulReplicas(
  problem: Problem,
  { most, unpiped, stageCounts, staged }: Replicas,
  hopes: Hopes,
  stop: Stop = never,
): ReadonlyMap<number, readonly CountedReplica[]> | null {
  const { chips: mostChips } = problem.cluster
  const hopeful = new Map<number, CountedReplica[]>()
  const ofOneStage = unpiped(mostChips, stop)
  if (!ofOneStage) return null
  for (const pipeline of stageCounts(mostChips)) {
    for (const [size, replicas] of ofOneStage) {
      if (stop()) return null
      const chipsEach = size * pipeline
      let left = replicas
      let count = Math.min(Math.floor(mostChips / chipsEach), most)
      for (; left.length > 0 && hopes.work(count * chipsEach); count--) {
        const chips = count * chipsEach
        if (!hopes.work(chips, count) || !hopes.stages(chips, count, pipeline)) continue
        const each = sequencesEach(problem, count)
        left = left.filter((one) => {
          if (count % one.mesh.expert !== 0) return true
          const replica = staged(one, pipeline)
          if (!hopes.replica(replica, each)) return false
          known(hopeful, chips, (): CountedReplica[] => []).push({ replica, count })
          return true
        })
      }
    }
  }
  return hopeful
}
