/** Changes that would each make a check pass, one line each; then, where they are of a launch file, what they change. */
import { compact } from '../../src/compact.ts'
import type { InFile } from '../../src/launch/in-file.ts'
import type { Remedy } from '../../src/validation/check.ts'
import { isInReadRequest, readRequestNote } from '../../src/validation/read-request.ts'

export function remediesText(remedies: readonly Remedy[]): readonly string[] {
  const lines = remedies.map((one) => `would do: ${remedyText(one)}`)
  const read = remedies.some(({ changes }) => changes.some(isInReadRequest))
  return read ? [...lines, readRequestNote] : lines
}

export function remedyText({ detail, changes, inFile }: Remedy): string {
  const values = changes.map(({ pointer, value }) => `${pointer} ${JSON.stringify(value)}`)
  return `${detail} (${values.join(', ')})${inFile ? `; in the launch file ${settingsText(inFile)}` : ''}`
}

function settingsText({ set, unset }: InFile): string {
  const gone = unset.length > 0 ? [`without ${unset.join(' ')}`] : []
  return compact(set.length > 0 && set.join(' '), gone).join(', ')
}
