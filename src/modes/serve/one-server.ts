/**
 * A framework runs both phases on the same chips in one server, with a single mesh and placement, and weights and
 * caches stored one way. One difference is possible: generation may shard caches by position while prefill shards them
 * by head (decode context parallelism). Source: vllm-project/vllm, docs/serving/context_parallel_deployment.md.
 */
import type { Offered } from '../../inference/layout/compiled-layout.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import type { LayoutFields } from '../../sharding/tables/inference-layout-fields.ts'
import { filledFrom } from '../../sharding/tables/inference-sharding.ts'

/** Restricts prefill layouts to those that can share a server with the given layouts of generation. */
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

/** Whether latent attention projects keys or absorbs the projection may differ between the phases. */
function isBeside(prefill: LayoutFields, generate: LayoutFields | undefined): boolean {
  if (prefill.projection !== generate?.projection || prefill.places !== generate.places) return false
  const { cache } = generate
  return prefill.cache === cache || (cache !== null && prefill.cache === filledFrom[cache])
}
