/** Turns a suggestion of an evaluation into the remedy of a check. */
import { present } from '../fields.ts'
import type { Suggestion } from '../plan/answer.ts'
import type { Remedy } from './check.ts'

export function remedy({ change, detail, pointer, value, also = [], inFile }: Suggestion): Remedy {
  const changes = [{ pointer, value }, ...also]
  return { detail: `${change}: ${detail}`, changes, ...present({ inFile }) }
}
