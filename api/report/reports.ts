/** Formats of checks besides JSON: by the type that a client accepts, and by name on the command line. */
import { version } from '../version.ts'
import type { Checked } from './checks/checked.ts'
import { checksCsv, checksHtml } from './checks/checks-sheet.ts'
import { github } from './checks/github.ts'
import { junit } from './checks/junit.ts'
import { markdown } from './checks/markdown.ts'
import { sarif } from './checks/sarif.ts'
import { text } from './checks/text.ts'

type Write = (all: readonly Checked[]) => string

export interface Report {
  readonly type: string
  readonly write: Write
  /** Whether programs read it, so that a request that is refused has to be told in it, too. */
  readonly tellsRefusals?: boolean
}

const writeSarif: Write = (all) => `${JSON.stringify(sarif(all, version()), null, 2)}\n`

export const checkReports = {
  ...{ text, markdown, junit, sarif: writeSarif, github },
  ...{ csv: checksCsv, html: checksHtml },
} as const satisfies Record<string, Write>

/** JSON is first because a client that accepts anything gets the first. */
export const reports: Readonly<Record<string, Report | undefined>> = {
  'application/json': undefined,
  'application/xml': { type: 'application/xml', write: junit, tellsRefusals: true },
  'application/sarif+json': { type: 'application/sarif+json', write: writeSarif, tellsRefusals: true },
  'text/plain': { type: 'text/plain', write: text },
  'text/markdown': { type: 'text/markdown', write: markdown },
  'text/csv': { type: 'text/csv', write: checksCsv },
}
