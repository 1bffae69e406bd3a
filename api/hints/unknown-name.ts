/** Errors for a name that is not in the catalogue, in a body or in a path, with similar names. */
import { faultyValue, meaning, ProblemError } from '../problems.ts'

/** The nearest names, as the end of the sentence that says what is wrong; empty if none is near. */
export function nearestText(names: readonly string[]): string {
  return names.length > 0 ? `; the nearest are ${names.join(', ')}` : ''
}

/** `what` is the kind of thing that was named; `all` says where all names are listed. */
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
