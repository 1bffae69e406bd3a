/** Functions that a script defines (`run() { … }`), which are read where they are called, with the words behind their names. */
import { groupsIn } from './groups.ts'

interface Defined {
  readonly name: string
  readonly body: string
  /** Position behind the definition. */
  readonly after: number
}

const head = /(?:function[ \t]+([\w.:-]+)[ \t]*(?:\([ \t]*\))?|([\w.:-]+)[ \t]*\([ \t]*\))\s*\{(?=\s)/y

/**
 * Finds the function that a text defines at a position; null where it defines none. A function ends with its line, or on the first line that
 * begins with a bracket as far in as its own: quotes and here-documents may hold brackets of their own. A text of many heads that nothing
 * closes is gone through once, as what was looked for in vain is kept.
 */
export function definitionsIn(text: string): (at: number) => Defined | null {
  let line = { from: 0, end: -1, groups: groupsIn('') }
  const unclosed = new Set<string>()
  return (at) => {
    head.lastIndex = at
    const [whole = '', first, second] = head.exec(text) ?? []
    const name = first ?? second
    if (name === undefined) return null
    const from = at + whole.length
    if (from > line.end) line = lineAt(from)
    const [begins = '#'] = text.slice(from, line.end).trimStart()
    if (begins === '#') return inLines(name, at, from)
    const end = line.groups.get(from - line.from)
    if (end === undefined) return null
    return { name, body: text.slice(from, line.from + end), after: line.from + end + 1 }
  }

  /** The line that a position is in. */
  function lineAt(at: number): typeof line {
    const from = text.lastIndexOf('\n', at - 1) + 1
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    return { from, end, groups: groupsIn(text.slice(from, end)) }
  }

  function inLines(name: string, at: number, from: number): Defined | null {
    const [indent = ''] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at)) ?? []
    const end = unclosed.has(indent) ? -1 : text.indexOf(`\n${indent}}`, from)
    if (end >= 0) return { name, body: text.slice(from, end), after: end + indent.length + 2 }
    unclosed.add(indent)
    return null
  }
}

/** The functions that a script and what it starts have defined by now. */
export interface Functions {
  readonly define: (name: string, body: string) => void
  /** Reads the body of the function of that name, unless it is too deep in others; whether there is one. */
  readonly call: (name: string, read: (body: string) => void) => boolean
  /** Bodies that were read for no command by the time that each is asked for: what calls them may be elsewhere. */
  readonly uncalled: () => Iterable<string>
}

interface Function {
  readonly body: string
  called: boolean
  /** How often it is being read, which is more than once where it calls itself. */
  open: number
}

/** How deep functions are read that call themselves, and how deep those that call others. */
const deepest = { itself: 4, others: 64 }

export function noFunctions(): Functions {
  const all = new Map<string, Function>()
  let open = 0
  return {
    define: (name, body) => all.set(name, { body, called: false, open: 0 }),
    call: (name, read) => {
      const own = all.get(name)
      if (!own) return false
      if (own.open >= deepest.itself || open >= deepest.others) return true
      own.called = true
      own.open++
      open++
      read(own.body)
      own.open--
      open--
      return true
    },
    uncalled: () => uncalled(all.values()),
  }
}

function* uncalled(all: Iterable<Function>): Iterable<string> {
  for (const { body, called } of all) if (!called) yield body
}
