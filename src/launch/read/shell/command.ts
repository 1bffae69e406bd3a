/** One command of a script: its words, and what stands between them. */
import type { Certain } from './ahead.ts'
import { assign, assigned } from './assigned.ts'
import { calculation } from './calculation.ts'
import { condition, hinge } from './condition.ts'
import { type Declaration, declarationBy } from './declaration.ts'
import type { Opened } from './here-document.ts'
import { isLooseIn, type Known, noteUndecided } from './reading.ts'
import { redirection, type Written } from './redirection.ts'
import { asking, deciding, declaring, dropped, skipped, testing } from './reserved.ts'
import { type Sign, signAt } from './says.ts'
import { blanks, type Reader, toLineEnd, word } from './word.ts'

export interface Command {
  readonly words: readonly string[]
  /** Where it begins in the text. */
  readonly from: number
  /** The character that ends it; empty at the end of the text. */
  readonly ended: string
  /** The sign by which a list goes on, which begins with that character; null where none does. */
  readonly sign: Sign | null
  /** Here-documents that follow its line. */
  readonly opened: readonly Opened[]
  /** The file that it writes. */
  readonly written: Written | null
  /** The text behind `<<<`. */
  readonly given: string | null
  /** Variables that are set before it on its line, with their values from before. */
  readonly own: ReadonlyMap<string, readonly string[] | undefined>
}

/** Reads the command at the position, up to the character that ends it. */
export function readCommand(known: Known): Command {
  const { here, branches } = known
  const from = here.at
  const words: string[] = []
  const redirected = redirections()
  const own = new Map<string, readonly string[] | undefined>()
  let declaration: Declaration | null = null
  for (;;) {
    blanks(here)
    const begins = !declaration && words.length === 0 && own.size === 0
    if (begins && (hangs(known) || (!branches.awaitsPattern() && calculation(known)))) continue
    const next = here.text[here.at]
    if (next === undefined || '\n;&|()'.includes(next)) {
      const sign = signAt(here)
      here.at += sign?.length ?? (next === undefined ? 0 : 1)
      declaration?.take()
      return { words, from, ended: next ?? '', sign, own, ...redirected.found }
    }
    if (next === '#') {
      toLineEnd(here)
      continue
    }
    if (redirected.take(here)) continue
    if (declaration) {
      declaration.read()
      continue
    }
    const awaits = branches.awaitsPattern()
    const set = !awaits && words.length === 0 ? assigned(known) : null
    if (set) {
      if (!own.has(set.name)) own.set(set.name, known.variables.all.get(set.name))
      assign(known, set)
      continue
    }
    const fields = word(here)
    const [only = ''] = fields
    if (words.length === 0 && fields.length === 1 && (!awaits || only === 'esac')) {
      if (declaring.has(only)) {
        declaration = declarationBy(only, known)
        continue
      }
      branches.meet(only)
      if (testing.has(only)) decide(known)
      if (dropped.has(only)) continue
      if (skipped.has(only) && !deciding.has(only)) noteUndecided(known)
    }
    if (only === '{' && words.length > 0 && words.every((one) => asking.has(one))) branches.meet(only)
    words.push(...fields)
  }
}

/** Takes what the condition that comes next says. */
function decide(known: Known): void {
  const { here, branches, variables } = known
  if (!branches.awaitsTest()) return
  branches.test(condition(here.text, here.at, variables, certainTo(known)))
  if (branches.isOpen()) noteUndecided(known)
}

/** Reads a test that the next command hangs on; false, and reads nothing, if there is none. */
function hangs(known: Known): boolean {
  const { here, branches, variables } = known
  if (branches.awaitsPattern() || !branches.mayHang()) return false
  const found = hinge(here.text, here.at, variables, certainTo(known))
  if (!found) return false
  here.at = found.after
  branches.hang(found.sign, found.says)
  if (branches.isOpen()) noteUndecided(known)
  return true
}

function certainTo({ loose }: Known): Certain {
  return (text) => !isLooseIn(text, loose)
}

/** Collects what stands behind `<` and `>`. */
function redirections() {
  const opened: Opened[] = []
  const found = { opened, written: null as Written | null, given: null as string | null }
  return { found, take }

  /** Whether there was a redirection at the position, which is read then. */
  function take(here: Reader): boolean {
    const [sign = '', stream = ''] = /^(\d{0,3})[<>]/.exec(here.text.slice(here.at, here.at + 4)) ?? []
    if (sign === '') return false
    here.at += stream.length
    const said = redirection(here)
    if (said && 'name' in said) found.written = stream === '' || stream === '1' ? said : found.written
    else if (said && 'given' in said) found.given = said.given
    else if (said) opened.push(said)
    return true
  }
}
