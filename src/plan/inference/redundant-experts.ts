/** Copies of experts in a plan, on the group of chips that holds whole experts: the expert axis, or the tensor axes. */
import { expertSlots } from '../../model/expert-slots.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type ExpertPlaces, expertPlaceRows } from '../../sharding/tables/inference-layout-fields.ts'

/** `places` says which axes hold the experts; null for a dense model. */
export function redundantExperts(
  { model, assumptions }: Setting,
  mesh: Mesh,
  places: ExpertPlaces | null,
): number {
  if (!model.experts) return 0
  const chips = expertPlaceRows.find(({ name }) => name === places)?.holders(mesh) ?? 1
  return expertSlots(model.experts.experts, chips, assumptions.redundantExperts).redundant
}
