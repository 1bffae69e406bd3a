/** What a server is told to load: the checkpoint that the plan's weights come from, otherwise the shell's variable MODEL. */
import { isNarrow } from '../../recipe/element-type.ts'
import { shellWord } from '../start.ts'
import type { Serving } from './serving.ts'

/** The name comes from the user: it is left out of the message if it has characters that a shell would interpret. */
const plain = /^[\w ./:+-]+$/

export function modelWord({ setting: { precision, model } }: Serving): string {
  const { checkpoint } = precision
  if (checkpoint !== undefined) return shellWord(checkpoint)
  const of = plain.test(model.name) ? ` of ${model.name}` : ''
  return `"\${MODEL:?a checkpoint${of}${isNarrow(precision.weights) ? ` in ${precision.weights}` : ''}}"`
}
