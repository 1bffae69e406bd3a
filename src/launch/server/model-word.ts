/** What a server is told to load: the checkpoint that the plan's weights are of, else what the shell has in MODEL. */
import { shellWord } from '../start.ts'
import type { Serving } from './serving.ts'

export function modelWord({ setting: { precision, model } }: Serving): string {
  const { checkpoint } = precision
  return checkpoint === undefined ? `"\${MODEL:?a checkpoint of ${model.name}}"` : shellWord(checkpoint)
}
