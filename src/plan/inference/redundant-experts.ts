/** Copies of experts that a plan has, on the chips that have whole ones: those of the expert axis, or of the tensor axes. */
import { expertSlots } from '../../model/expert-slots.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type ExpertPlaces, expertPlaceRows } from '../../sharding/tables/inference-layout-fields.ts'

/** `places` of the experts, null for a dense model. */
export function redundantExperts(
  { model, assumptions }: Setting,
  mesh: Mesh,
  places: ExpertPlaces | null,
): number {
  if (!model.experts) return 0
  const chips = expertPlaceRows.find(({ name }) => name === places)?.holders(mesh) ?? 1
  return expertSlots(model.experts.experts, chips, assumptions.redundantExperts).redundant
}
