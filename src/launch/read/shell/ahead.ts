/** Reading a condition ahead, on a copy of the text's next part: nothing is set by it. */
import type { ShellVariables } from './variables.ts'
import { endsWord, type Reader } from './word.ts'

/** Whether what a text names has one value alone. */
export type Certain = (text: string) => boolean

/** In characters: what is longer is not known, as each `if` is read so far ahead. */
const longest = 2000

/** The condition is not read up to its end. */
export class Unread extends Error {}

/** Null where what begins at the position is not read up to its end. */
export function asFarAsRead<Found>(
  text: string,
  at: number,
  variables: ShellVariables,
  read: (here: Reader) => Found,
): Found | null {
  const part = text.slice(at, at + longest)
  try {
    return read({ text: part, variables: { ...variables, set: () => {} }, at: 0 })
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}

/** Whether a word stands at the position, which is read then. */
export function takes(here: Reader, name: string): boolean {
  const after = here.text[here.at + name.length]
  if (!here.text.startsWith(name, here.at) || !(name === ')' || endsWord(after))) return false
  here.at += name.length
  return true
}
