/**
 * A written plan whose mesh takes fewer chips than there are, evaluated on every part of the cluster that has so many: where it
 * fits it is the fastest that counts, and it is illegal only if it is on all of them.
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { partsOf } from '../../hardware/cluster/fewer-chips.ts'
import { allChips } from '../../rules/network.ts'
import { faults } from '../../rules/rule.ts'
import { type Mesh, meshSize } from '../../sharding/axis.ts'
import type { IllegalPlan } from '../answer.ts'
import type { Plan } from '../plan.ts'

interface Evaluation {
  readonly plan: Plan
  readonly hardware: Cluster
  readonly warnings: readonly string[]
}

export function onParts<Answer extends Evaluation>(
  cluster: Cluster,
  mesh: Mesh,
  evaluated: (part: Cluster) => Answer | IllegalPlan,
): Answer | IllegalPlan {
  const parts = partsOf(cluster, meshSize(mesh))
  // As large as none is: that is what is wrong with it.
  const answers = (parts.length > 0 ? parts : [cluster]).map(evaluated)
  const [best] = answers
    .filter((answer): answer is Answer => 'plan' in answer)
    .sort(
      ({ plan: a }, { plan: b }) =>
        Number(b.feasible) - Number(a.feasible) || a.stepTimeSeconds - b.stepTimeSeconds,
    )
  const [first] = answers
  if (!first) throw new RangeError('There is no cluster')
  if (!best) return first
  return { ...best, hardware: cluster, warnings: [...best.warnings, ...idleWarnings(best.plan, cluster)] }
}

function idleWarnings({ idleChips, mesh }: Plan, { chips }: Cluster): readonly string[] {
  if (idleChips === 0) return []
  const size = faults([allChips], { mesh, chips, hosts: [] })
  const idle = idleChips === 1 ? 'one stands idle' : `${idleChips} stand idle`
  return [`${size.join()}; ${idle}, and MFU, tokens per chip and costs count all of them`]
}
