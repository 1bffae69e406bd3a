/** What a test within `[[ ]]` says, up to the brackets that close it: there && binds closer than ||. Source: bash(1), "Compound Commands". */
import { type Certain, takes, Unread } from './ahead.ts'
import { closing, matching } from './brackets.ts'
import { denied, joined, type Says } from './says.ts'
import { tested } from './tested.ts'
import { blanks, type Reader, toCommand, word } from './word.ts'

export function bracketed(here: Reader, certain: Certain): Says {
  let says = both(here, certain)
  for (toCommand(here); takes(here, '||'); toCommand(here)) says = joined('||', says, both(here, certain))
  return says
}

function both(here: Reader, certain: Certain): Says {
  let says = one(here, certain)
  for (toCommand(here); takes(here, '&&'); toCommand(here)) says = joined('&&', says, one(here, certain))
  return says
}

function one(here: Reader, certain: Certain): Says {
  toCommand(here)
  if (takes(here, '!')) return denied(one(here, certain))
  if (takes(here, '(')) {
    const says = bracketed(here, certain)
    toCommand(here)
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
