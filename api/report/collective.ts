/** Writes the time of one collective, one line per field. */
import type { CollectiveBody } from '../worker/desk.ts'
import { csv } from './csv.ts'
import { cell, markdownTable } from './markdown-table.ts'
import type { Report } from './report.ts'
import { table } from './table.ts'

const lines = (body: CollectiveBody) => Object.entries(body).map(([name, value]) => [name, String(value)])

export const collectiveReport: Report<CollectiveBody> = {
  text: (body) => `${table(lines(body)).join('\n')}\n`,
  markdown: (body) => {
    const rows = lines(body).map((line) => line.map(cell))
    return `${markdownTable(['', ''], rows)}\n`
  },
  csv: (body) => csv([Object.keys(body), Object.values(body).map(String)]),
}
