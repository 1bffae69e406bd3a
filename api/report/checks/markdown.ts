/** Writes checks as Markdown, for the summary of a job or a comment on a change. */
import { compact } from '../../../src/compact.ts'
import { cell, markdownTable } from '../markdown-table.ts'
import { remediesText } from '../remedies-text.ts'
import { bestText, type Checked, failing, planText } from './checked.ts'

export function markdown(all: readonly Checked[]): string {
  const failed = failing(all).length
  const total = all.reduce((sum, { checks }) => sum + checks.length, 0)
  const title = failed === 0 ? `All ${total} checks hold` : `${failed} of ${total} checks fail`
  return `${[`### shardplan: ${title}`, ...all.flatMap(partOf)].join('\n\n')}\n`
}

function partOf({ file, checks, plan, best, preferred, warnings }: Checked): readonly string[] {
  const rows = checks.map(({ name, ok, message, nearest = [] }) => [
    ok ? 'ok' : '**FAIL**',
    name,
    [message, ...remediesText(nearest)].map(cell).join('<br>'),
  ])
  return compact(
    file && `#### ${file}`,
    markdownTable(['', 'check', ''], rows),
    plan && `Plan: ${planText({ plan, best })}.`,
    best && `Best: ${bestText({ best, preferred })}.`,
    warnings,
  )
}
