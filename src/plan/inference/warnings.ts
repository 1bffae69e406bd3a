/** Warnings about assumptions that matter for this answer. */
import { compact } from '../../compact.ts'
import { serversOf } from '../../launch/serving.ts'
import { rowOf } from '../../modes/phases.ts'
import type { PhaseProblem } from '../../problem.ts'
import { fieldsNamed, sharesOutHeads } from '../../sharding/tables/inference-layout-fields.ts'
import { offCentre } from '../certainty/off-centre.ts'
import { launchWarning, type Named } from '../explain/launch-warning.ts'
import { lengthWarning, serverWarning, unfittedWarning } from '../explain/served-warnings.ts'
import type { InferencePlan } from '../inference-plan.ts'

export function inferenceWarnings(
  problem: PhaseProblem,
  best: InferencePlan | null,
  named: Named = 'the best plan',
): readonly string[] {
  const { model, assumptions, workload } = problem
  const row = rowOf(workload)
  const found = [
    ...serverWarning(problem),
    ...launchWarning(best, serversOf(problem, assumptions.frameworks), named),
    ...lengthWarning(model, row.positions(workload)),
  ]
  const ideals = compact(
    Math.min(assumptions.overlapInference, assumptions.overlapExchange) === 1 &&
      'all communication can be hidden under compute',
    !assumptions.elementwise && 'activations stay on the chip',
  )
  if (ideals.length > 0) found.push(`${assumptions.basis} assumptions: ${ideals.join(', ')}`)
  if (assumptions.attentionFlops === 'none') {
    found.push('attention is costed only as reading its cache; its dot products are not counted')
  }
  found.push(...row.cautions(problem), ...offCentre('a step', best?.uncertainty ?? null))
  if (best && best.mesh.tensor * best.mesh.tensor2 > model.kvHeads && usesHeads(best)) {
    found.push(
      `more tensor chips than the ${model.kvHeads} key-value heads: caches sharded by heads are replicated`,
    )
  }
  if (best && model.attention.latent && best.mesh.tensor * best.mesh.tensor2 > 1 && keepsHeads(best)) {
    found.push('the latent cache has no heads to shard: every tensor-parallel chip holds all of it')
  }
  if (model.experts && assumptions.expertUnevenness > 0) {
    found.push(
      'tokens are assumed to choose experts as unevenly as they did in two published counts: it depends on the model and on what it is asked (`expertUnevenness`)',
    )
  } else if (model.experts && assumptions.expertImbalance === 1) {
    found.push('routing is assumed to be balanced: all experts are equally popular')
  }
  if (best && best.redundantExperts > 0) {
    found.push(
      `${best.redundantExperts} redundant experts are assumed to balance the load of all expert slots: they have to be copies of the busiest experts, and be updated as these change`,
    )
  }
  if (best?.twoBatchOverlap) {
    found.push(
      'the two half batches are assumed to take turns of equal length: waits between them, where attention and experts take different times, are not counted',
    )
  }
  if (best && model.heads % (best.mesh.tensor * best.mesh.tensor2) !== 0) {
    found.push(
      `the tensor axes do not divide the ${model.heads} heads: some chips are costed with a padded head`,
    )
  }
  return [...found, ...unfittedWarning(problem)]
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
