/** An answer as a table with sentences below it: written as text, as Markdown and as a page. */
import { compact } from '../../src/compact.ts'
import { type Part, page } from './html.ts'
import { cell, markdownTable } from './markdown-table.ts'
import type { PageReport } from './report.ts'
import { table } from './table.ts'

/** Heads of columns without any are left empty. */
interface Sheet extends Required<Part> {
  readonly title: string
}

/** CSV has columns of its own. */
export function sheetReport<Body>(
  sheetOf: (body: Body) => Sheet,
  csv: PageReport<Body>['csv'],
): PageReport<Body> {
  return {
    text: (body, width) => sheetText(sheetOf(body), width),
    markdown: (body) => sheetMarkdown(sheetOf(body)),
    csv,
    html: (body) => {
      const { title, ...part } = sheetOf(body)
      return page(title, [part])
    },
  }
}

function sheetText({ heads, rows, remarks }: Omit<Sheet, 'title'>, width?: number): string {
  const lines = rows.length > 0 ? table(heads.some(Boolean) ? [heads, ...rows] : rows, width) : []
  const between = lines.length > 0 && remarks.length > 0 ? [''] : []
  return `${[...lines, ...between, ...remarks].join('\n')}\n`
}

function sheetMarkdown({ heads, rows, remarks }: Sheet): string {
  const escaped = (row: readonly string[]) => row.map((text) => cell(text))
  const parts = compact(
    rows.length > 0 && markdownTable(escaped(heads), rows.map(escaped)),
    remarks.map((line) => `- ${line}`),
  )
  return `${parts.join('\n\n')}\n`
}
