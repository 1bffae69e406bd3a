/**
 * What a draft costs that is given as a model:
 *
 *   r = P_draft / P      active parameters
 *
 * of a step: generating a token streams weights, and draft and model are taken to be kept and laid out alike. It is too
 * little for drafts so small that overheads and latencies, not weights, make their step.
 */
import { parameterCount } from '../../model/parameters.ts'
import type { Transformer } from '../../model/transformer.ts'

/** Why it is no draft, where it is none. */
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
  return { ratio, warnings: [cost, ...(draft.vocab === model.vocab ? [] : [words])] }
}

function billions(parameters: number): string {
  return `${(parameters / 1e9).toPrecision(3)} billion`
}
