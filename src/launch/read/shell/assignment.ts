/** Reads NAME=value, NAME+=value, NAME=( … ) or NAME[key]=value; null, and reads nothing, if there is none. */
import { expandedIn } from './expansion.ts'
import { keyedItem, withItem } from './items.ts'
import { array, endsWord, type Reader, word } from './word.ts'

export interface Assignment {
  readonly name: string
  /** With what it is added to. */
  readonly value: readonly string[]
  /** Where the value begins in the text. */
  readonly from: number
}

export function assignment(here: Reader): Assignment | null {
  const found = /^([A-Za-z_]\w*)(?:\[([^[\]=]{1,100})\])?(\+?)=/.exec(here.text.slice(here.at, here.at + 200))
  const [whole = '', name = '', key, plus] = found ?? []
  if (!found) return null
  here.at += whole.length
  const from = here.at
  const value = here.text[here.at] === '(' ? array(here) : [plain(here)]
  if (key !== undefined) {
    const item = keyedItem(expandedIn(key, here.variables), value.join(' '))
    return { name, from, value: withItem(here.variables.all.get(name) ?? [], item, plus !== '') }
  }
  const before = plus ? (here.variables.all.get(name) ?? []) : []
  const joins = plus && here.text[here.at - 1] !== ')' && before.length > 0
  return { name, from, value: joins ? [before.join(' ') + value.join(' ')] : [...before, ...value] }
}

function plain(here: Reader): string {
  return endsWord(here.text[here.at]) ? '' : word(here, false).join(' ')
}
