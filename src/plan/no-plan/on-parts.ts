/**
 * Evaluates a written plan whose mesh needs fewer chips than there are on every part of the cluster with that many. The
 * fastest that fits counts; the plan is illegal only if it is so on all parts.
 */
import { compact } from '../../compact.ts'
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
  // If no part has that many chips, the whole cluster is evaluated, which reports the mesh's size as the fault.
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
  return { ...best, hardware: cluster, warnings: compact(best.warnings, idleWarning(best.plan, cluster)) }
}

function idleWarning({ idleChips, mesh }: Plan, { chips }: Cluster): string | null {
  if (idleChips === 0) return null
  const size = faults([allChips], { mesh, chips, hosts: [] })
  const idle = idleChips === 1 ? 'one stays idle' : `${idleChips} stay idle`
  return `${size.join()}; ${idle}, and MFU, tokens per chip and costs count all of them`
}
