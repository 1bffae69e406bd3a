/** A request from a file of JSON or YAML, with the line of each value; JSON is parsed as YAML, which includes it. */
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  visit,
} from 'yaml'
import { isFields } from '../../src/fields.ts'
import { ProblemError } from '../problems.ts'
import { uncommented } from '../uncommented.ts'
import { isRequest, isRequestOfLines, launchMeant } from './launch-meant.ts'

export interface RequestDocument {
  readonly file: string | null
  readonly body: unknown
  /** Line of the value at a pointer, or of the last on the way to it that there is. */
  readonly lineOf: (pointer: string) => number | null
  /** The lines of the value at a pointer; null if there is none. */
  readonly linesAt: (pointer: string) => Lines | null
}

export interface Lines {
  readonly text: string
  /** From 1. */
  readonly first: number
}

/** A file that is no request, being neither JSON nor YAML or a launch file, with the line that it goes wrong on. */
export class UnparsedFile extends ProblemError {
  readonly line: number
  /** The framework of which it is a launch file. */
  readonly launch: string | undefined

  constructor(detail: string, line: number, launch?: string) {
    super('malformed-json', detail)
    this.line = line
    this.launch = launch
  }
}

export function requestDocument(text: string, file: string | null): RequestDocument {
  if (isPage(file)) throw new UnparsedFile('is a page of Markdown: a request is a file of JSON or YAML', 1)
  const lines = new LineCounter()
  const bare = uncommented(text)
  const document = parseDocument(bare, { lineCounter: lines, prettyErrors: false, ...reading })
  const several = document.errors[0]?.code === 'MULTIPLE_DOCS' ? documentsIn(text) : []
  if (several.some(isRequest)) throw new UnparsedFile(severalSaid(several.length), 1)
  const { value, fault } = saidBy(document)
  const body = withoutExtensions(value)
  if (!fault && body === null)
    throw new UnparsedFile('is empty: a request has model, hardware, workload …', 1)
  const tab = isRequestOfLines(text)
    ? document.errors.find(({ code }) => code === 'TAB_AS_INDENT')
    : undefined
  if (tab) {
    const { line } = lines.linePos(tab.pos[0])
    throw new UnparsedFile(`line ${line} is indented with a tab, where YAML takes blanks alone`, line)
  }
  const meant = launchMeant(text, body, file)
  if (fault && !meant) {
    const { line, col } = lines.linePos(fault.at)
    const why = several.length > 0 ? severalSaid(several.length) : `line ${line}, column ${col}: ${fault.why}`
    throw new UnparsedFile(why, line)
  }
  if (meant) throw new UnparsedFile(meant.says, 1, meant.key)
  return {
    file,
    body,
    lineOf: (pointer) => lines.linePos(foundAt(document.contents, pathOf(pointer)).from).line,
    linesAt: (pointer) => {
      const { from, to, whole } = foundAt(document.contents, pathOf(pointer))
      const first = lines.linePos(from).line
      return whole ? { text: bare.slice(lines.lineStarts[first - 1], to), first } : null
    },
  }
}

/** Merge keys (`<<: *base`) are read; warnings would be the parser's own. */
const reading = { merge: true, logLevel: 'error' } as const

function documentsIn(text: string): readonly unknown[] {
  return parseAllDocuments(text, reading).map((one) => saidBy(one).value)
}

interface Said {
  /** Null where it cannot be read. */
  readonly value: unknown
  readonly fault: { readonly at: number; readonly why: string } | null
}

/** What a document says. Aliases are looked up only here: one without its anchor, or too many, are errors that the parser throws. */
function saidBy(document: Document.Parsed): Said {
  const [error] = document.errors
  if (error) return { value: null, fault: { at: error.pos[0], why: error.message } }
  try {
    return { value: document.toJS(), fault: null }
  } catch (thrown) {
    return { value: null, fault: { at: unanchored(document), why: (thrown as Error).message } }
  }
}

/** Position of the first alias whose anchor does not stand before it, or else of the text's beginning. */
function unanchored(document: Document.Parsed): number {
  let at = 0
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document)) return undefined
      at = alias.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return at
}

function severalSaid(count: number): string {
  return `holds ${count} documents (---), where a request is one: give each a file of its own`
}

/** Keys of the request whose names begin with `x-` hold what others merge, as in docker compose. */
function withoutExtensions(body: unknown): unknown {
  if (!isFields(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([key]) => !key.startsWith('x-')))
}

/** A page beside requests (`clusters/*`), which YAML might well take for one of them. */
export function isPage(file: string | null): boolean {
  return /\.(md|markdown)$/i.test(file ?? '')
}

export const noDocument: RequestDocument = { file: null, body: {}, lineOf: () => null, linesAt: () => null }

function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

interface Found {
  /** Offset of the key that the path ends at, or of the last one on the way to it that exists, as a missing key belongs there. */
  readonly from: number
  /** Offset behind its value. */
  readonly to: number
  /** Whether the whole path exists. */
  readonly whole: boolean
}

function foundAt(contents: unknown, path: readonly string[]): Found {
  let from = isNode(contents) ? (contents.range?.[0] ?? 0) : 0
  let node = contents
  const found = (whole: boolean) => ({ from, to: isNode(node) ? (node.range?.[1] ?? from) : from, whole })
  for (const part of path) {
    if (!isCollection(node)) return found(false)
    const items: readonly unknown[] = node.items
    const next = isSeq(node)
      ? items[Number(part)]
      : isMap(node)
        ? items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === part)
        : undefined
    if (next === undefined) return found(false)
    const start = isPair(next) ? next.key : next
    if (isNode(start)) from = start.range?.[0] ?? from
    node = isPair(next) ? next.value : next
  }
  return found(true)
}
