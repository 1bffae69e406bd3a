/** What a server is told to load: the checkpoint that the plan's weights are of, else what the shell has in MODEL. */
import { isNarrow } from '../../recipe/element-type.ts'
import { shellWord } from '../start.ts'
import type { Serving } from './serving.ts'

/** A name that somebody wrote is data: of one that a shell would read something into, nothing is said. */
const plain = /^[\w ./:+-]+$/

export function modelWord({ setting: { precision, model } }: Serving): string {
  const { checkpoint } = precision
  if (checkpoint !== undefined) return shellWord(checkpoint)
  const of = plain.test(model.name) ? ` of ${model.name}` : ''
  return `"\${MODEL:?a checkpoint${of}${isNarrow(precision.weights) ? ` in ${precision.weights}` : ''}}"`
}
