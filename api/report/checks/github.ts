/**
 * Writes failed checks as workflow commands of GitHub Actions, which appear as annotations on the lines of a change.
 * Percent signs, line breaks and, in properties, colons and commas are escaped (actions/toolkit,
 * packages/core/src/command.ts).
 */
import { remediesText } from '../remedies-text.ts'
import { type Checked, failing, placedIn } from './checked.ts'

export function github(all: readonly Checked[]): string {
  return all
    .flatMap((checked) =>
      failing([checked]).map((check) => {
        const { name, message, nearest = [] } = check
        const { file, line } = placedIn(checked, check) ?? {}
        const at = file === undefined ? {} : { file, line: String(line) }
        const properties = Object.entries({ ...at, title: `shardplan: ${name}` })
        const data = [message, ...remediesText(nearest)].join('\n')
        return `::error ${properties.map(([key, value]) => `${key}=${property(value)}`).join(',')}::${escaped(data)}\n`
      }),
    )
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
