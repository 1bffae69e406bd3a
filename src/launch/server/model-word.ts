/** What a server is told to load: the checkpoint that the plan's weights come from, otherwise the shell's variable MODEL. */
import { isNarrow, usualType } from '../../recipe/element-type.ts'
import { shellWord } from '../start.ts'
import { type Formats, quantizesItself, wideRelease } from './formats.ts'
import type { Serving } from './serving.ts'

/** The name comes from the user: it is left out of the message if it has characters that a shell would interpret. */
const plain = /^[\w ./:+-]+$/

export function modelWord(serving: Serving, formats: Formats): string {
  const { precision, model } = serving.setting
  const { checkpoint, weights } = precision
  const wide = quantizesItself(serving, formats)
  const name = checkpoint ?? (wide ? wideRelease(serving.setting) : undefined)
  if (name !== undefined) return shellWord(name)
  const of = plain.test(model.name) ? ` of ${model.name}` : ''
  const type = wide ? usualType : isNarrow(weights) ? weights : null
  return `"\${MODEL:?a checkpoint${of}${type === null ? '' : ` in ${type}`}}"`
}
