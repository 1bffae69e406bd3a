/**
 * Sequences shorter than a server's file lets them be: a server is told the longest that it takes, and whoever asks what
 * its steps take means those that it runs. So the length of such a request is what sequences hold on average.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'

export function heldOnAverage(
  own: Fields,
  reading: LaunchReading,
): { readonly own: Fields; readonly reading: LaunchReading } {
  const { workload } = own
  const longest = reading.workload.contextLength
  if (!isFields(workload) || workload.mode !== 'generate' || longest === undefined) return { own, reading }
  const { contextLength, ...rest } = workload
  if (rest.meanContextLength !== undefined || !(Number(contextLength) < Number(longest)))
    return { own, reading }
  const note = `sequences may have ${longest} positions: the ${contextLength} of the request are taken as what they hold on average (meanContextLength)`
  return {
    own: { ...own, workload: { ...rest, meanContextLength: contextLength } },
    reading: { ...reading, notes: [...reading.notes, note] },
  }
}
