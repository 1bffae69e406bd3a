/**
 * The model of a request, or the one that a file names, as a file runs it that has no layers which predict further tokens: without them. The
 * file starts, and what runs is what is costed.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { type Catalogue, knownModel } from '../../catalogue.ts'

export function withoutFurther(
  own: Fields,
  reading: LaunchReading,
  catalogue: Catalogue,
): { readonly own: Fields; readonly reading: LaunchReading } {
  const model = own.model ?? reading.named
  const whole = typeof model === 'string' ? knownModel(catalogue, model)?.record.architecture : model
  if (reading.furtherLayers !== false || !isFields(whole)) return { own, reading }
  const further = Number(whole.multiTokenLayers ?? 0)
  if (!(further > 0)) return { own, reading }
  const note = `what the file runs has no layers that predict further tokens: the model is costed without its ${further}`
  return {
    own: { ...own, model: { ...whole, multiTokenLayers: 0 } },
    reading: { ...reading, notes: [...reading.notes, note] },
  }
}
