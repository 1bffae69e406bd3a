/** Servers of a launch file of which nothing is read, as a failed check: they would pass unseen. */
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Check } from '../../../src/validation/check.ts'

const [mostShown, longestShown] = [3, 150]

export function unreadChecks(reading: LaunchReading | null, pointer: string): readonly Check[] {
  const { unread = [] } = reading ?? {}
  if (unread.length === 0) return []
  const shown = unread
    .slice(0, mostShown)
    .map((words) => (words.length > longestShown ? `${words.slice(0, longestShown)}…` : words))
  const more = unread.length > shown.length ? `; and ${unread.length - shown.length} more` : ''
  return [
    {
      name: 'understood',
      ok: false,
      pointer,
      expected: 'servers that differ only in where they run',
      actual: `${unread.length + 1} servers`,
      message: `only the last server of the file is checked, and it starts others that are not like it: ${shown.join('; ')}${more}. Give each a file of its own`,
    },
  ]
}
