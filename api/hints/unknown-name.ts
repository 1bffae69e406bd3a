/** A name that the catalogue does not have, and those that are near: in a body, or in a path. */
import { faultyValue, meaning, ProblemError } from '../problems.ts'

/** Behind what is wrong; nothing where none is near. */
export function nearestText(names: readonly string[]): string {
  return names.length > 0 ? `; the nearest are ${names.join(', ')}` : ''
}

/** `what` it would have named; `all` says where those are that there are. */
export function unknownValue(
  what: string,
  name: string,
  pointer: string,
  { nearest, all = '' }: { readonly nearest: readonly string[]; readonly all?: string },
): ProblemError {
  return faultyValue('unknown-name', {
    pointer,
    detail: `no ${what} is named ${name}${nearestText(nearest)}${all}`,
    suggestions: nearest,
    ...meaning(pointer, nearest),
  })
}

export function unknownPath(what: string, name: string, nearest: readonly string[]): ProblemError {
  return new ProblemError('not-found', `No ${what} is named ${name.slice(0, 100)}${nearestText(nearest)}.`)
}
