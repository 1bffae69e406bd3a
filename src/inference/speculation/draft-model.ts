/** Whether a model can draft for another, and what is taken of it. */
import { compact } from '../../compact.ts'
import { parameterCount } from '../../model/parameters.ts'
import type { Transformer } from '../../model/transformer.ts'

/** `refusal` says why the model cannot be a draft. */
export type DraftModel = { readonly warnings: readonly string[] } | { readonly refusal: string }

export function draftModel(draft: Transformer, model: Transformer): DraftModel {
  const [small, large] = [parameterCount(draft).active, parameterCount(model).active]
  if (small >= large) {
    return {
      refusal: `${draft.name} has ${billions(small)} active parameters and ${model.name} ${billions(large)}: a draft has to be the smaller`,
    }
  }
  const cost = `Drafting a token with ${draft.name} is taken to cost a step of its own on the plan's mesh, in the types of ${model.name}; its memory is not counted.`
  const words = `${draft.name} has a vocabulary of ${draft.vocab} and ${model.name} one of ${model.vocab}: a draft needs the same tokens.`
  return { warnings: compact(cost, draft.vocab !== model.vocab && words) }
}

function billions(parameters: number): string {
  return `${(parameters / 1e9).toPrecision(3)} billion`
}
