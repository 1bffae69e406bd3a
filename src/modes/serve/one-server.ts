/**
 * On the same chips a framework runs both phases in one server, which has one mesh in one place and keeps weights and caches
 * one way. Positions of caches alone may be shared out for generation while prompts are read by heads: frameworks have
 * decode context parallelism so. Source: vllm-project/vllm, docs/serving/context_parallel_deployment.md.
 */

import type { InferenceCandidate, Offered } from '../../inference/phase.ts'
import type { LayoutFields } from '../../sharding/tables/inference-layout-fields.ts'
import { filledFrom } from '../../sharding/tables/inference-sharding.ts'

/** Of what a mesh has for prompts, what goes with some layouts of generation. */
export function besideOffers(
  offers: readonly Offered[],
  generate: readonly LayoutFields[],
): readonly Offered[] {
  return offers
    .map((offered) =>
      offered.map((options, component) => options.filter((layout) => isBeside(layout, generate[component]))),
    )
    .filter((offered) => offered.every(({ length }) => length > 0))
}

/** Whether one server could run both. */
export function isOneServer(
  prefill: Pick<InferenceCandidate, 'mesh' | 'placement' | 'layouts'>,
  generate: Pick<InferenceCandidate, 'mesh' | 'placement' | 'layouts'>,
): boolean {
  const lying = ({ mesh, placement }: Pick<InferenceCandidate, 'mesh' | 'placement'>) =>
    JSON.stringify([mesh, placement])
  const alike = prefill.layouts.every((layout, at) => isBeside(layout, generate.layouts[at]))
  return alike && lying(prefill) === lying(generate)
}

/** Whether latent attention projects keys or absorbs the projection is each phase's own. */
function isBeside(prefill: LayoutFields, generate: LayoutFields | undefined): boolean {
  if (prefill.projection !== generate?.projection || prefill.places !== generate.places) return false
  const { cache } = generate
  return prefill.cache === cache || (cache !== null && prefill.cache === filledFrom[cache])
}
