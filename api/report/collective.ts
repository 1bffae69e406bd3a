/** Writes the time of one collective, one line per field. */
import type { CollectiveBody } from '../worker/desk.ts'
import { csv } from './csv.ts'
import { cell, markdownTable } from './markdown-table.ts'
import { table } from './table.ts'

const lines = (body: CollectiveBody) => Object.entries(body).map(([name, value]) => [name, String(value)])

export function collectiveText(body: CollectiveBody): string {
  return `${table(lines(body)).join('\n')}\n`
}

export function collectiveMarkdown(body: CollectiveBody): string {
  return `${markdownTable(
    ['', ''],
    lines(body).map((line) => line.map(cell)),
  )}\n`
}

export function collectiveCsv(body: CollectiveBody): string {
  return csv([Object.keys(body), Object.values(body).map(String)])
}
