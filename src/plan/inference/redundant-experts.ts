/** Copies of experts that a plan has, on the chips that have whole ones: those of the expert axis, or of the tensor axes. */
import { expertSlots } from '../../model/expert-slots.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'

/** `layout` of the experts, undefined for a dense model. */
export function redundantExperts(
  { model, assumptions }: Setting,
  { expert, tensor, tensor2 }: Mesh,
  layout: string | undefined,
): number {
  if (!model.experts) return 0
  const chips = { dispatched: expert, spread: tensor * tensor2 }[layout?.split('/')[1] ?? ''] ?? 1
  return expertSlots(model.experts.experts, chips, assumptions.redundantExperts).redundant
}
