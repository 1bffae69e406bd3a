/** Functions that a script defines (`run() { … }`), which are read where they are called, with the words behind their names. */

export interface Defined {
  readonly name: string
  readonly body: string
  /** Position behind the definition. */
  readonly after: number
}

const head = /(?:function[ \t]+([\w.:-]+)[ \t]*(?:\([ \t]*\))?|([\w.:-]+)[ \t]*\([ \t]*\))\s*\{(?=\s)/y

/**
 * The function that is defined at a position; null where none is. It ends with its line, or on the first line that begins with a bracket
 * below its first letter: quotes and here-documents may hold brackets of their own.
 */
export function definedAt(text: string, at: number): Defined | null {
  head.lastIndex = at
  const [whole = '', first, second] = head.exec(text) ?? []
  const name = first ?? second
  if (name === undefined) return null
  const from = at + whole.length
  const line = text.slice(from, text.indexOf('\n', from) < 0 ? text.length : text.indexOf('\n', from))
  const own = line.trim() === '' || /^\s*#/.test(line) ? null : line.lastIndexOf('}')
  if (own !== null) return own < 0 ? null : { name, body: line.slice(0, own), after: from + own + 1 }
  const [indent = ''] = /[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at)) ?? []
  const end = text.indexOf(`\n${indent}}`, from)
  return end < 0 ? null : { name, body: text.slice(from, end), after: end + indent.length + 2 }
}

/** The functions that a script and what it starts have defined by now. */
export type Functions = Map<string, { readonly body: string; called: boolean }>

/** The body of the function that a command calls; undefined if it calls none. */
export function bodyOf(functions: Functions, name: string): string | undefined {
  const own = functions.get(name)
  if (own) own.called = true
  return own?.body
}

/** Bodies that no command calls by a name of the text: what calls them may be elsewhere. */
export function uncalled(functions: Functions): readonly string[] {
  return [...functions.values()].flatMap(({ body, called }) => (called ? [] : [body]))
}
