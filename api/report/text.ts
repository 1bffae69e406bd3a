/** Checks as a table for a terminal or a log. */
import type { Validation } from '../../src/validate.ts'
import { remediesText } from './remedies-text.ts'

export function text({ checks, ok, plan, best }: Validation): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const rows = checks.flatMap(({ name, ok: holds, pointer, message, nearest = [] }) => [
    `${holds ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${message}${holds ? '' : ` (${pointer})`}`,
    ...remediesText(nearest).map((line) => `${' '.repeat(width + 8)}${line}`),
  ])
  const failed = checks.filter((check) => !check.ok).length
  const summary = ok ? `All ${checks.length} checks hold.` : `${failed} of ${checks.length} checks fail.`
  const plans = [plan && `plan  ${plan.summary}`, best && `best  ${best.summary}`].filter(Boolean)
  return `${[...rows, ...plans, summary].join('\n')}\n`
}
