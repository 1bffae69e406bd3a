/** Turns a suggestion of an evaluation into the remedy of a check. */
import type { Suggestion } from '../plan/answer.ts'
import type { Remedy } from './check.ts'

export function remedy({ change, detail, pointer, value, also = [] }: Suggestion): Remedy {
  return { detail: `${change}: ${detail}`, changes: [{ pointer, value }, ...also] }
}
