/** A text of YAML as the value that it holds; throws the first of its errors, of one line. */
import { LineCounter, parseDocument } from 'yaml'

export interface Unreadable extends Error {
  /** What the parser calls it; undefined of what it finds only where it resolves aliases. */
  readonly code?: string
}

export interface Reading {
  /** Whether a key may stand twice, where the last counts, as PyYAML has it. */
  readonly lastCounts?: boolean
}

/** Errors beyond the first get no lines: the parser would quote the same long line for each of its words. */
export function yamlValue(text: string, { lastCounts = false }: Reading = {}): unknown {
  const lines = new LineCounter()
  const parsing = { merge: true, logLevel: 'error', prettyErrors: false, uniqueKeys: !lastCounts } as const
  const document = parseDocument(text, { ...parsing, lineCounter: lines })
  const [error] = document.errors
  if (!error) return document.toJS({ maxAliasCount: 20 })
  const { line, col } = lines.linePos(error.pos[0])
  throw Object.assign(new Error(`${error.message} at line ${line}, column ${col}`), { code: error.code })
}
