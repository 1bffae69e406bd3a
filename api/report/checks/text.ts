/** Writes checks as a table for a terminal or a log, one line each. */
import { remediesText } from '../remedies-text.ts'
import { type Checked, failing, planLines } from './checked.ts'

export function text(all: readonly Checked[]): string {
  const total = all.reduce((sum, { checks }) => sum + checks.length, 0)
  const failed = failing(all).length
  const summary = failed === 0 ? `All ${total} checks hold.` : `${failed} of ${total} checks fail.`
  return `${[...all.flatMap(linesOf), summary].join('\n')}\n`
}

function linesOf({ file, checks, plan, best, preferred, warnings, placeOf }: Checked): readonly string[] {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const placed = (check: (typeof checks)[number]) => {
    const place = placeOf(check)
    return place ? `${place.file}:${place.line}` : file
  }
  return [
    ...(file ? [file] : []),
    ...checks.flatMap((check) => {
      const { name, ok, pointer, message, nearest = [] } = check
      const at = ok ? '' : ` (${[placed(check), pointer].filter(Boolean).join(' ')})`
      return [
        `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${message}${at}`,
        ...remediesText(nearest).map((line) => `${' '.repeat(width + 8)}${line}`),
      ]
    }),
    ...planLines({ plan, best, preferred }),
    ...warnings.map((warning) => `note  ${warning}`),
    ...(file ? [''] : []),
  ]
}
