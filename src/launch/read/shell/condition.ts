/**
 * What the condition of an `if` says as a whole, from its tests, or a test that begins a list of commands: joined by && and ||, denied, in groups
 * `{ …; }` and `( … )`, of numbers `(( … ))`, or within one `[[ … ]]` (bracketed.ts). Source: bash(1), "Lists".
 */
import { asFarAsRead, type Certain, takes, Unread } from './ahead.ts'
import { bracketed } from './bracketed.ts'
import { matching } from './brackets.ts'
import { numberIn } from './expansion.ts'
import { dropped, skipped } from './reserved.ts'
import { denied, joined, type Says, type Sign, signAt } from './says.ts'
import { tested } from './tested.ts'
import type { ShellVariables } from './variables.ts'
import { blanks, type Reader, toCommand, toLineEnd, word } from './word.ts'

export function condition(text: string, at: number, variables: ShellVariables, certain: Certain): Says {
  return asFarAsRead(text, at, variables, (here) => list(here, 'then', certain))
}

/** A test that another command hangs on. */
export interface Hinge {
  readonly says: Says
  /** Which of the two signs stands behind it. */
  readonly sign: Sign
  /** Where the next command of the list begins. */
  readonly after: number
}

/** The test that begins at the position and is followed by && or ||; null if there is none. */
export function hinge(text: string, at: number, variables: ShellVariables, certain: Certain): Hinge | null {
  if (!/^(!\s+)?(\[\[?\s|test\s|\(\()/.test(text.slice(at, at + 20))) return null
  return asFarAsRead(text, at, variables, (here) => {
    const says = pipeline(here, certain)
    blanks(here)
    const sign = signAt(here)
    if (sign === null) return null
    here.at += sign.length
    toCommand(here)
    return { says, sign, after: at + here.at }
  })
}

/** Up to the word that ends it, of which the last of several commands counts. */
function list(here: Reader, end: string, certain: Certain): Says {
  let says: Says = null
  for (;;) {
    toCommand(here)
    if (takes(here, end)) return says
    says = pipeline(here, certain)
    for (;;) {
      blanks(here)
      const sign = signAt(here)
      if (sign === null) break
      here.at += sign.length
      toCommand(here)
      says = joined(sign, says, pipeline(here, certain))
    }
    if (!/[;\n)]/.test(here.text[here.at] ?? '')) throw new Unread()
    if (here.text[here.at] === ';') here.at++
    if (here.text[here.at] === ';') throw new Unread()
  }
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
    const says = bracketed(here, certain)
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
