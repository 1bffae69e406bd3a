/**
 * Writes failed checks, doubts and notes as workflow commands of GitHub Actions, which appear as annotations on the lines of a change.
 * Percent signs, line breaks and, in properties, colons and commas are escaped (actions/toolkit,
 * packages/core/src/command.ts).
 */
import { compact } from '../../../src/compact.ts'
import { remediesText } from '../remedies-text.ts'
import { type Checked, failing, type Place, placedIn, remarksOf } from './checked.ts'

export function github(all: readonly Checked[]): string {
  return all
    .flatMap((checked) => {
      const { doubts, note } = remarksOf(checked)
      const failed = failing([checked]).map((check) => {
        const { name, nearest = [] } = check
        const message = [check.message, ...remediesText(nearest)].join('\n')
        return command('error', `shardplan: ${name}`, message, placedIn(checked, check))
      })
      return compact(
        failed,
        doubts.map((one) => command('warning', 'shardplan', one.message, placedIn(checked, one))),
        // Of all the notes one annotation is made: a job shows ten of a kind.
        note &&
          command('notice', 'shardplan: notes', note.message, placedIn(checked, { ...note, message: '' })),
      )
    })
    .join('')
}

/** Levels of annotations. Source: docs.github.com, "Workflow commands for GitHub Actions". */
type Level = 'error' | 'warning' | 'notice'

function command(level: Level, title: string, message: string, place: Place | null): string {
  const at = place ? { file: place.file, line: String(place.line) } : {}
  const properties = Object.entries({ ...at, title })
  return `::${level} ${properties.map(([key, value]) => `${key}=${property(value)}`).join(',')}::${escaped(message)}\n`
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
