/** The vocabulary of a model whose dimensions a launch file says, where it names the tokenizer of a release that has them. */
import { isFields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { KnownModel } from '../../catalogue.ts'

/** Dimensions that tell releases apart, as files and the catalogue have them. */
const told = ['layers', 'dModel', 'heads', 'kvHeads'] as const

/** The reading as it is where nothing is missing, or the release is another model. */
export function withVocabulary(reading: LaunchReading, release: KnownModel | undefined): LaunchReading {
  const { model, tokenizer } = reading
  if (!model || model.vocab !== undefined || !release) return reading
  const { transformer } = release
  const experts = isFields(model.moe) ? model.moe.experts : undefined
  const agrees =
    told.every((name) => model[name] === transformer[name]) && experts === transformer.experts?.experts
  if (!agrees) return reading
  const note = `the vocabulary is that of ${transformer.name}, whose tokenizer is ${tokenizer} and whose dimensions these are`
  return {
    ...reading,
    model: { ...model, vocab: transformer.vocab },
    notes: [...reading.notes, note],
  }
}
