/** What lists of the models, chips and stacks that are known by name say of each. */
import type { Catalogue } from './catalogue.ts'

export function modelsOf({ models }: Catalogue) {
  return [...models.values()].map(({ record: { name, architecture }, parameters: { total, active } }) => {
    return { name, parameters: total, activeParameters: active, architecture }
  })
}

export function chipsOf({ chips }: Catalogue) {
  return [...chips.values()].map(({ name, title, kind, aliases, hbmBytes, peakFlopsPerSecond }) => {
    return { name, title, kind, aliases, hbmBytes, peakFlopsPerSecond }
  })
}

export function stacksOf({ stacks }: Catalogue) {
  return [...stacks.values()].map(({ name, title, runs, framework, chips, constants }) => {
    return { name, title, runs, framework, chips, constants }
  })
}
