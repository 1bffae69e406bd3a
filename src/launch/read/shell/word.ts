/** Reads the words of a shell script, one after the other, from a place in its text. */
import { closing } from './brackets.ts'
import { expanded } from './expansion.ts'
import type { ShellVariables } from './variables.ts'

/** A text with the place that is read next. */
export interface Reader {
  readonly text: string
  readonly variables: ShellVariables
  at: number
  /** Where the first quote opens that the text does not close. */
  unclosed?: number
}

/** A shell's blanks are no others: a no-break space that came with a copied line is a letter of a word. */
const blank: ReadonlySet<string> = new Set(' \t\r')
const ending: ReadonlySet<string> = new Set([...blank, ...'\n;&|<>)'])

/** Whether a word ends before a character. */
export function endsWord(next: string | undefined): boolean {
  return next === undefined || ending.has(next)
}

export function blanks(here: Reader): void {
  for (;;) {
    if (here.text[here.at] === '\\' && here.text[here.at + 1] === '\n') here.at += 2
    else if (blank.has(here.text[here.at] ?? '')) here.at++
    else return
  }
}

export function toLineEnd(here: Reader): void {
  while (here.at < here.text.length && here.text[here.at] !== '\n') here.at++
}

/** Skips what stands between two commands of a list. */
export function toCommand(here: Reader): void {
  for (;;) {
    blanks(here)
    if (here.text[here.at] === '#') toLineEnd(here)
    else if (here.text[here.at] === '\n') here.at++
    else return
  }
}

export function array(here: Reader): readonly string[] {
  here.at++
  const items: string[] = []
  while (here.at < here.text.length && here.text[here.at] !== ')') {
    blanks(here)
    const next = here.text[here.at]
    if (next === '#') toLineEnd(here)
    else if (next !== ')' && endsWord(next)) here.at++
    else if (next !== ')') items.push(...word(here))
  }
  here.at++
  return items
}

/** What is between blanks; what only a shell would fill in is one piece, with the blanks inside of it. */
const piece = /(?:\$\([^)]{0,500}\)+|\$\{[^}]{0,500}\}|\S)+/g

/** Reads one word of the text, which may make none, one or several fields, as unquoted values are split at blanks. */
export function word(here: Reader, splits = true): readonly string[] {
  const fields: string[] = []
  let field: string | null = null
  const add = (more: string) => {
    field = (field ?? '') + more
  }
  const addFields = (values: readonly string[], quoted: boolean) => {
    const parts = quoted || !splits ? values : values.flatMap((value) => value.match(piece) ?? [])
    parts.forEach((part, index) => {
      if (index > 0) {
        fields.push(field ?? '')
        field = null
      }
      add(part)
    })
  }
  const start = here.at
  for (;;) {
    const next = here.text[here.at]
    if (next === undefined || endsWord(next) || (next === '(' && here.at > start)) break
    if (next === '(') {
      add(next)
      here.at++
    } else if (next === "'") {
      const end = closing(here.text, here.at, "'")
      if (end === here.text.length) here.unclosed ??= here.at
      add(here.text.slice(here.at + 1, end))
      here.at = end + 1
    } else if (next === '"') quotedPart(here, add, addFields)
    else if (next === '\\') {
      if (here.text[here.at + 1] === '\n') {
        here.at += 2
        break
      }
      add(here.text[here.at + 1] ?? '')
      here.at += 2
    } else if (next === '$' || next === '`') {
      const printed = isPrinted(here)
      addFields(expansion(here), printed)
    } else {
      add(next)
      here.at++
    }
  }
  return field === null ? fields : [...fields, field]
}

function quotedPart(
  here: Reader,
  add: (more: string) => void,
  addFields: (values: readonly string[], quoted: boolean) => void,
): void {
  const opened = here.at++
  let none = false
  while (here.at < here.text.length && here.text[here.at] !== '"') {
    const next = here.text[here.at]
    if (next === '\\' && here.text[here.at + 1] !== undefined) {
      const after = here.text[here.at + 1] ?? ''
      add('"\\$`'.includes(after) ? after : after === '\n' ? '' : `\\${after}`)
      here.at += 2
    } else if (next === '$' || next === '`') {
      const from = here.at
      const all = expansion(here)
      const values = isOneWord.test(here.text.slice(from, from + 100)) ? [all.join(between(here))] : all
      none ||= values.length === 0
      addFields(values, true)
    } else {
      add(next ?? '')
      here.at++
    }
  }
  if (here.at >= here.text.length) here.unclosed ??= opened
  // An array without items makes no word, not even in quotes.
  if (!none) add('')
  here.at++
}

/** In quotes all arguments, or items of an array, by `*` are one word, and by `@` one each. */
const isOneWord = /^\$(\*|\{(\*|\w+\[\*\]))/

/** The first character of IFS, a blank unless the script sets another. */
function between({ variables }: Reader): string {
  const own = variables.all.get('IFS')?.[0]
  return own === undefined || own.startsWith('$') ? ' ' : own.slice(0, 1)
}

/** What a command prints is not known: as it is written, it is one word. */
function isPrinted({ text, at }: Reader): boolean {
  return text[at] === '`' || /^\$\((?!\()/.test(text.slice(at, at + 3))
}

function expansion(here: Reader): readonly string[] {
  const { fields, after } = expanded(here.text, here.at, here.variables)
  here.at = after
  return fields
}
