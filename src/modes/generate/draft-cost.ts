/**
 * Cost of drafting a token with a draft model, relative to a step of the target model:
 *
 *   r = P_draft / P      active parameters
 *
 * A step of generation mostly streams weights, and draft and target are assumed to be stored and laid out alike. The
 * ratio is too low for drafts so small that overheads and latencies, not weights, take most of their step.
 */
import { compact } from '../../compact.ts'
import { parameterCount } from '../../model/parameters.ts'
import type { Transformer } from '../../model/transformer.ts'

/** `refusal` says why the model cannot be a draft. */
export type DraftCost =
  | { readonly ratio: number; readonly warnings: readonly string[] }
  | { readonly refusal: string }

export function draftCost(draft: Transformer, model: Transformer): DraftCost {
  const [small, large] = [parameterCount(draft).active, parameterCount(model).active]
  if (small >= large) {
    return {
      refusal: `${draft.name} has ${billions(small)} active parameters and ${model.name} ${billions(large)}: a draft has to be the smaller`,
    }
  }
  const ratio = small / large
  const cost = `Drafting a token with ${draft.name} is taken to cost ${ratio.toPrecision(3)} of a step of ${model.name}, its share of active parameters, as steps stream weights; its own memory is not counted.`
  const words = `${draft.name} has a vocabulary of ${draft.vocab} and ${model.name} one of ${model.vocab}: a draft needs the same tokens.`
  return { ratio, warnings: compact(cost, draft.vocab !== model.vocab && words) }
}

function billions(parameters: number): string {
  return `${(parameters / 1e9).toPrecision(3)} billion`
}
