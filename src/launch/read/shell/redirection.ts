/** What stands behind `<` or `>`: a file that is written, a here-document, or a text that is given. */
import type { Opened } from './here-document.ts'
import { blanks, type Reader, word } from './word.ts'

/** A text behind `<<<`. */
interface Given {
  readonly given: string
}

/** A file that a command writes, or adds to. */
export interface Written {
  readonly name: string
  readonly adds: boolean
}

export function redirection(here: Reader): Written | Opened | Given | null {
  const { text } = here
  const start = here.at
  while (text[here.at] === '<' || text[here.at] === '>' || text[here.at] === '&') here.at++
  const sign = text.slice(start, here.at)
  const indented = sign === '<<' && text[here.at] === '-'
  if (indented) here.at++
  blanks(here)
  const expands = !/['"\\]/.test(text[here.at] ?? '')
  const name = word(here, false).join(' ')
  if (sign === '<<') return { end: name, indented, expands }
  if (sign === '<<<') return { given: name }
  return sign === '>' || sign === '>>' ? { name, adds: sign === '>>' } : null
}
