/** A name in a path that the catalogue does not have. */
import { ProblemError } from '../problems.ts'

/** `what` it would have named; `nearest` are names that it has. */
export function unknownName(what: string, name: string, nearest: readonly string[]): ProblemError {
  const hint = nearest.length ? `; the nearest are ${nearest.join(', ')}` : ''
  return new ProblemError('not-found', `No ${what} is named ${name.slice(0, 100)}${hint}.`)
}
