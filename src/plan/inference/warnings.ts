/** Warnings about assumptions that matter for this answer. */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { compact } from '../../compact.ts'
import { serversOf } from '../../launch/serving.ts'
import type { Transformer } from '../../model/transformer.ts'
import { rowOf } from '../../modes/phases.ts'
import type { PhaseProblem } from '../../problem.ts'
import { fieldsNamed, sharesOutHeads } from '../../sharding/tables/inference-layout-fields.ts'
import { offCentre } from '../certainty/off-centre.ts'
import { unmeasuredText } from '../certainty/unmeasured.ts'
import { launchWarning, type Named } from '../explain/launch-warning.ts'
import { lengthWarning, serverWarning, unfittedWarning } from '../explain/served-warnings.ts'
import type { InferencePlan } from '../inference-plan.ts'
import { lateTexts } from './late-launches.ts'

export function inferenceWarnings(
  problem: PhaseProblem,
  best: InferencePlan | null,
  named: Named = 'the best plan',
): readonly string[] {
  const { model, assumptions, workload } = problem
  const row = rowOf(workload)
  const ideals = compact(
    Math.min(assumptions.overlapInference, assumptions.overlapExchange) === 1 &&
      'all communication can be hidden under compute',
    !assumptions.elementwise && 'activations stay on the chip',
  )
  return compact(
    serverWarning(problem),
    launchWarning(best, serversOf(problem, assumptions.frameworks), named),
    lengthWarning(model, row.positions(workload)),
    ideals.length > 0 && `${assumptions.basis} assumptions: ${ideals.join(', ')}`,
    assumptions.attentionFlops === 'none' &&
      'attention is costed only as reading its cache; its dot products are not counted',
    row.cautions(problem),
    offCentre('a step', best?.uncertainty ?? null),
    best && lateTexts(best.launch, row.limitSeconds(workload)).map((late) => `${named}, ${late}`),
    best && unmeasuredText(problem),
    best && headWarnings(model, best),
    model.experts && routingWarning(assumptions),
    best &&
      best.redundantExperts > 0 &&
      `${best.redundantExperts} redundant experts are assumed to balance the load of all expert slots: they have to be copies of the busiest experts, and be updated as these change`,
    best?.twoBatchOverlap &&
      'the two half batches are assumed to take turns of equal length: waits between them, where attention and experts take different times, are not counted',
    best &&
      model.heads % tensorChips(best) !== 0 &&
      `the tensor axes do not divide the ${model.heads} heads: some chips are costed with a padded head`,
    unfittedWarning(problem),
  )
}

/** What tensor parallelism makes of caches that have fewer heads than it has chips, or none. */
function headWarnings({ kvHeads, attention }: Transformer, best: InferencePlan): readonly string[] {
  return compact(
    tensorChips(best) > kvHeads &&
      usesHeads(best) &&
      `more tensor chips than the ${kvHeads} key-value heads: caches sharded by heads are replicated`,
    attention.latent &&
      tensorChips(best) > 1 &&
      keepsHeads(best) &&
      'the latent cache has no heads to shard: every tensor-parallel chip holds all of it',
  )
}

function routingWarning({ expertUnevenness, expertImbalance }: Assumptions): string | false {
  if (expertUnevenness > 0) {
    return 'tokens are assumed to choose experts as unevenly as they did in two published counts: it depends on the model and on what it is asked (`expertUnevenness`)'
  }
  return expertImbalance === 1 && 'routing is assumed to be balanced: all experts are equally popular'
}

function tensorChips({ mesh }: InferencePlan): number {
  return mesh.tensor * mesh.tensor2
}

/** Whether latent attention shards its cache over heads. */
function keepsHeads({ layout }: InferencePlan): boolean {
  return cachesHeads(layout.components.attention ?? '')
}

function usesHeads({ layout }: InferencePlan): boolean {
  return Object.values(layout.components).some(cachesHeads)
}

function cachesHeads(name: string): boolean {
  const cache = fieldsNamed(name)?.cache
  return cache ? sharesOutHeads(cache) : false
}
