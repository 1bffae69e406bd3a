/** A model as a file of the catalogue has it: its dimensions and, from its config.json, what costs nothing but has to be said at a launch. */
import type { Fields } from '../fields.ts'
import { detailsIn } from './details.ts'
import { type Spelling, spelledOut } from './spelling.ts'
import type { Transformer } from './transformer.ts'

export interface RecordedModel {
  readonly name: string
  readonly architecture: Spelling
  readonly config?: Fields
}

export function recordedModel({ name, architecture, config }: RecordedModel): Transformer {
  const details = config ? detailsIn(config) : null
  return { ...spelledOut(name, architecture), ...(details ? { details } : {}) }
}
