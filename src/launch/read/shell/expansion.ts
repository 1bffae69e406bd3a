/** Expands a `$…` of a shell script. */
import { arithmetic } from './arithmetic.ts'
import { closing, matching } from './brackets.ts'
import { changed } from './changed.ts'
import { valuesOf } from './items.ts'
import { sliced } from './sliced.ts'
import type { ShellVariables } from './variables.ts'

export interface Expanded {
  readonly fields: readonly string[]
  /** Position behind the expansion. */
  readonly after: number
}

/** All fields of an array, otherwise a single one; stays as written if the script does not set the variable. */
export function expanded(text: string, at: number, variables: ShellVariables): Expanded {
  const rest = text.slice(at, at + 4000)
  const asWritten = (after: number): Expanded => ({ fields: [text.slice(at, after)], after })
  if (rest[0] === '`') return asWritten(closing(text, at, '`') + 1)
  if (rest.startsWith('$((')) {
    const end = matching(text, at + 1)
    const value = numberIn(text.slice(at + 3, Math.min(end, at + 1000) - 1), variables)
    return value === null ? asWritten(end + 1) : { fields: [String(value)], after: end + 1 }
  }
  if (rest.startsWith('$(')) return asWritten(matching(text, at + 1) + 1)
  const closed = rest.startsWith('${') ? rest.slice(0, matching(rest, 1) + 1) : null
  const braced = closed === null ? null : /^\$\{(\w+)(\[[@*]\])?(?::?([-=?+])([\s\S]*))?\}$/.exec(closed)
  const plain = /^\$(\d|[A-Za-z_]\w*|[@*#?])/.exec(rest)
  const [whole = '', name = '', , sign, fallback] = braced ?? plain ?? []
  if (whole === '') {
    if (closed === null) return { fields: ['$'], after: at + 1 }
    const cut = trimmed(closed, variables)
    const number = (own: string) => numberIn(own, variables)
    const inner = { number, text: (own: string) => expandedIn(own, variables) }
    const fields =
      cut !== null ? [cut] : (sliced(closed, variables, number) ?? changed(closed, variables, inner))
    if (fields !== null) return { fields, after: at + closed.length }
    const [, base = ''] = /^\$\{[!#]?(\w+|[@*])/.exec(closed) ?? []
    if (variables.all.has(base) || /^[@*]$/.test(base)) variables.leave(closed)
    return asWritten(matching(text, at + 1) + 1)
  }
  const after = at + whole.length
  const known = variables.read(name)
  if (sign === '+') return { fields: known?.[0] ? [expandedIn(unquoted(fallback), variables)] : [''], after }
  if (known && !(known.length === 1 && known[0] === '' && fallback !== undefined))
    return { fields: braced?.[2] || /[@*]/.test(name) ? valuesOf(known) : known.slice(0, 1), after }
  // A shell stops at `${NAME:?why}`: as it is written, it says to whoever needs the value what is meant.
  if (fallback === undefined || sign === '?') return { fields: [whole], after }
  const value = expandedIn(unquoted(fallback), variables)
  if (sign === '=') variables.set(name, [value])
  return { fields: [value], after }
}

/** What an arithmetic expression comes to, with the variables in it; null if that is not known. */
export function numberIn(text: string, variables: ShellVariables): number | null {
  const filled = expandedIn(text, variables)
  return arithmetic(filled.replaceAll(/[A-Za-z_]\w*/g, (name) => variables.all.get(name)?.[0] ?? name))
}

function unquoted(text = ''): string {
  return text.replaceAll(/^["']|["']$/g, '')
}

/** A value without its end or its beginning, `${NAME%, }` and `${NAME#-}`; null for patterns, and where the script does not set it. */
function trimmed(braced: string, variables: ShellVariables): string | null {
  const [, name = '', sign = '', affix = ''] = /^\$\{(\w+)(%%?|##?)([^*?[$]*)\}$/.exec(braced) ?? []
  const value = variables.read(name)?.[0]
  if (value === undefined) return null
  const own = unquoted(affix)
  const ends = sign.startsWith('%') ? value.endsWith(own) : value.startsWith(own)
  return !ends || own === ''
    ? value
    : sign.startsWith('%')
      ? value.slice(0, -own.length)
      : value.slice(own.length)
}

/** A text with all that stands in it expanded, as between double quotes. */
export function expandedIn(text: string, variables: ShellVariables): string {
  let whole = ''
  for (let at = 0; at < text.length; ) {
    if (text[at] === '\\' && text[at + 1] === '$') {
      whole += '$'
      at += 2
    } else if (text[at] !== '$') whole += text[at++]
    else {
      const { fields, after } = expanded(text, at, variables)
      whole += fields.join(' ')
      at = after
    }
  }
  return whole
}

/** The first variable, or argument of the script, in some values that is not set. */
export function openIn(values: readonly string[]): string | null {
  return /\$\{?(?:[A-Za-z_]\w*|[1-9])\}?/.exec(values.join(' '))?.[0] ?? null
}
