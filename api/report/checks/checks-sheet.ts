/** Writes checks as CSV, a line each, and as an HTML page. */
import { compact } from '../../../src/compact.ts'
import { csv } from '../csv.ts'
import { page } from '../html.ts'
import { remediesText } from '../remedies-text.ts'
import { bestText, type Checked, failing, planText } from './checked.ts'

export function checksCsv(all: readonly Checked[]): string {
  const heads = ['file', 'check', 'ok', 'pointer', 'expected', 'actual', 'message', 'remedies']
  const lines = all.flatMap(({ file, checks }) =>
    checks.map(({ name, ok, pointer, expected, actual, message, nearest = [] }) => [
      ...[file ?? '', name, String(ok), pointer, String(expected), String(actual), message],
      remediesText(nearest).join('; '),
    ]),
  )
  return csv([heads, ...lines])
}

export function checksHtml(all: readonly Checked[]): string {
  const failed = failing(all).length
  const parts = all.map(({ file, checks, plan, best, preferred, warnings }) => ({
    heads: [file ?? '', 'check', ''],
    rows: checks.map(({ name, ok, message, nearest = [] }) => [
      ok ? 'ok' : 'FAIL',
      name,
      [message, ...remediesText(nearest)].join(' '),
    ]),
    remarks: compact(
      plan && `Plan: ${planText({ plan, best })}.`,
      best && `Best: ${bestText({ best, preferred })}.`,
      warnings,
    ),
  }))
  return page(failed === 0 ? 'shardplan: all checks hold' : `shardplan: ${failed} checks fail`, parts)
}
