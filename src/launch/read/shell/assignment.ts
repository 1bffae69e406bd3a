/** Reads NAME=value, NAME+=value or NAME=( … ); null, and reads nothing, if there is none. */
import { array, endsWord, type Reader, word } from './word.ts'

export interface Assignment {
  readonly name: string
  /** With what it is added to. */
  readonly value: readonly string[]
  /** Where the value begins in the text. */
  readonly from: number
}

export function assignment(here: Reader): Assignment | null {
  const found = /^([A-Za-z_]\w*)(\+?)=/.exec(here.text.slice(here.at, here.at + 200))
  const [whole = '', name = '', plus] = found ?? []
  if (!found) return null
  here.at += whole.length
  const from = here.at
  const value = here.text[here.at] === '(' ? array(here) : [plain(here)]
  const before = plus ? (here.variables.all.get(name) ?? []) : []
  const joins = plus && here.text[here.at - 1] !== ')' && before.length > 0
  return { name, from, value: joins ? [before.join(' ') + value.join(' ')] : [...before, ...value] }
}

function plain(here: Reader): string {
  return endsWord(here.text[here.at]) ? '' : word(here, false).join(' ')
}
