/**
 * What the condition of an `if` says as a whole, from its tests: joined by && and ||, denied, in groups `{ …; }` and `( … )`, of numbers
 * `(( … ))`, or within one `[[ … ]]`. Null where it depends on what is not known. Nothing is set by it. Source: bash(1), "Lists".
 */
import { closing, matching } from './brackets.ts'
import { numberIn } from './expansion.ts'
import { dropped, skipped } from './reserved.ts'
import { tested } from './tested.ts'
import type { ShellVariables } from './variables.ts'
import { blanks, endsWord, type Reader, toLineEnd, word } from './word.ts'

type Says = boolean | null

/** In characters: what is longer is not known, as each `if` is read so far ahead. */
const longest = 2000

/** The condition is not read up to its end. */
class Unread extends Error {}

/** `certain` says of a text whether what it names has one value alone. */
export function condition(
  text: string,
  at: number,
  variables: ShellVariables,
  certain: (text: string) => boolean,
): Says {
  const here: Reader = {
    text: text.slice(at, at + longest),
    variables: { ...variables, set: () => {} },
    at: 0,
  }
  try {
    return list(here, 'then', certain)
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}

type Certain = (text: string) => boolean

/** Up to the word that ends it, of which the last of several commands counts. */
function list(here: Reader, end: string, certain: Certain): Says {
  let says: Says = null
  for (;;) {
    between(here)
    if (takes(here, end)) return says
    says = pipeline(here, certain)
    for (;;) {
      blanks(here)
      const [sign = ''] = /^(&&|\|\|)/.exec(here.text.slice(here.at, here.at + 2)) ?? []
      if (sign === '') break
      here.at += 2
      between(here)
      says = joined(sign, says, pipeline(here, certain))
    }
    if (!/[;\n)]/.test(here.text[here.at] ?? '')) throw new Unread()
    if (here.text[here.at] === ';') here.at++
    if (here.text[here.at] === ';') throw new Unread()
  }
}

function joined(sign: string, left: Says, right: Says): Says {
  const decides = sign === '||'
  if (left === decides || right === decides) return decides
  return left === null || right === null ? null : !decides
}

/** Skips what stands between two commands. */
function between(here: Reader): void {
  for (;;) {
    blanks(here)
    if (here.text[here.at] === '#') toLineEnd(here)
    else if (here.text[here.at] === '\n') here.at++
    else return
  }
}

/** Whether a word stands at the position, which is read then. */
function takes(here: Reader, name: string): boolean {
  const after = here.text[here.at + name.length]
  if (!here.text.startsWith(name, here.at) || !(name === ')' || endsWord(after))) return false
  here.at += name.length
  return true
}

function pipeline(here: Reader, certain: Certain): Says {
  blanks(here)
  if (takes(here, '!')) return denied(pipeline(here, certain))
  const says = command(here, certain)
  blanks(here)
  if (here.text[here.at] !== '|' || here.text[here.at + 1] === '|') return says
  here.at++
  pipeline(here, certain)
  return null
}

function command(here: Reader, certain: Certain): Says {
  const from = here.at
  if (here.text.startsWith('((', from)) {
    const end = matching(here.text, from)
    const inner = here.text.slice(from + 2, end - 1)
    here.at = end + 1
    const value = here.text[end - 1] === ')' && certain(inner) ? numberIn(inner, here.variables) : null
    return value === null ? null : value !== 0
  }
  if (takes(here, '(')) return list(here, ')', certain)
  if (takes(here, '{')) return list(here, '}', certain)
  if (takes(here, '[[')) {
    const says = either(here, certain)
    blanks(here)
    if (!takes(here, ']]')) throw new Unread()
    return says
  }
  return simple(here, certain)
}

function simple(here: Reader, certain: Certain): Says {
  const from = here.at
  const words: string[] = []
  for (;;) {
    blanks(here)
    const next = here.text[here.at]
    if (next === undefined) throw new Unread()
    if (next === '#') toLineEnd(here)
    else if (next === '<' || next === '>') return redirected(here)
    else if (next === '&' && here.text[here.at + 1] === '>') return redirected(here)
    else if ('\n;&|()'.includes(next)) break
    else words.push(...word(here))
    const [first = ''] = words
    if (words.length === 1 && (opens.has(first) || dropped.has(first))) throw new Unread()
  }
  if (words.length === 0) throw new Unread()
  return certain(here.text.slice(from, here.at)) ? tested(words) : null
}

const opens = new Set([...skipped].filter((name) => !/^(\[|test)/.test(name)))

/** What a command is given or writes is not read: only where it ends. */
function redirected(here: Reader): null {
  for (;;) {
    blanks(here)
    const next = here.text[here.at]
    if (next === undefined || here.text.startsWith('<<', here.at)) throw new Unread()
    const [sign = ''] = /^(?:&>>?|[<>]+&?)/.exec(here.text.slice(here.at, here.at + 4)) ?? []
    if (sign !== '') here.at += sign.length
    else if (';\n&|)'.includes(next)) return null
    else if (next === '(') here.at = matching(here.text, here.at) + 1
    else word(here)
  }
}

/** Within [[ ]], where && binds closer than ||. */
function either(here: Reader, certain: Certain): Says {
  let says = both(here, certain)
  for (between(here); takes(here, '||'); between(here)) says = joined('||', says, both(here, certain))
  return says
}

function both(here: Reader, certain: Certain): Says {
  let says = one(here, certain)
  for (between(here); takes(here, '&&'); between(here)) says = joined('&&', says, one(here, certain))
  return says
}

function one(here: Reader, certain: Certain): Says {
  between(here)
  if (takes(here, '!')) return denied(one(here, certain))
  if (takes(here, '(')) {
    const says = either(here, certain)
    between(here)
    if (!takes(here, ')')) throw new Unread()
    return says
  }
  const from = here.at
  const words: string[] = []
  let isKnown = true
  for (;;) {
    blanks(here)
    const next = here.text[here.at]
    if (next === undefined || '\n;'.includes(next)) throw new Unread()
    if (/^(&&|\|\||\)|\]\](?=[\s;&|)]|$))/.test(here.text.slice(here.at, here.at + 3))) break
    if ('&|'.includes(next)) throw new Unread()
    if (next === '<' || next === '>') {
      // Which of two texts comes first depends on the language.
      isKnown = false
      here.at++
    } else words.push(...word(here, false))
    if (words.length === 2 && words[1] === '=~') {
      isKnown = false
      expression(here)
    }
  }
  return isKnown && certain(here.text.slice(from, here.at)) ? tested(['[[', ...words, ']]']) : null
}

/** Skips a regular expression, which ends at a blank that no bracket and no quote holds. */
function expression(here: Reader): void {
  blanks(here)
  for (let next = here.text[here.at]; next !== undefined && !/\s/.test(next); next = here.text[here.at]) {
    if (next === '(') here.at = matching(here.text, here.at)
    else if (next === '"' || next === "'") here.at = closing(here.text, here.at, next)
    else if (next === '\\') here.at++
    here.at++
  }
}

function denied(says: Says): Says {
  return says === null ? null : !says
}
