/** What lists of the models, chips and stacks that are known by name say of each. */
import type { Catalogue, KnownModel } from './catalogue.ts'
import { listed } from './schemas/catalogue.ts'
import { picked } from './schemas/picked.ts'

/** A model with what is counted of it. */
export function countedModel({ record, parameters: { total, active } }: KnownModel) {
  return { ...record, parameters: total, activeParameters: active }
}

export function modelsOf({ models }: Catalogue) {
  return [...models.values()].map((model) => picked(countedModel(model), listed.model))
}

export function chipsOf({ chips }: Catalogue) {
  return [...chips.values()].map((chip) => picked(chip, listed.chip))
}

export function stacksOf({ stacks }: Catalogue) {
  return [...stacks.values()].map((stack) => picked(stack, listed.stack))
}
