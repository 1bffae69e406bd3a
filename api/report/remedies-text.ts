/** Changes that would each make a check pass, one line each. */
import type { Remedy } from '../../src/validation/check.ts'

export function remediesText(remedies: readonly Remedy[]): readonly string[] {
  return remedies.map(({ detail, changes }) => {
    const values = changes.map(({ pointer, value }) => `${pointer} ${JSON.stringify(value)}`)
    return `would do: ${detail} (${values.join(', ')})`
  })
}
