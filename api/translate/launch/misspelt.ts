/** Options of a launch file that nobody understands and that are near to one that is read: what runs is likely not what was meant. */
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Check } from '../../../src/validation/check.ts'
import { editDistance } from '../../hints/nearest.ts'

interface Misspelt {
  readonly option: string
  readonly meant: string
}

/** Other options are further apart, as long as they are no abbreviations. */
const mostEdits = 2
const shortest = '--tp-size'.length + 1

export function misspeltIn({ notUnderstood, known = [] }: LaunchReading): readonly Misspelt[] {
  return notUnderstood.flatMap((text) => {
    const [option = ''] = text.split(/[\s=]/)
    if (!option.startsWith('--') || option.length < shortest) return []
    const [nearest] = known
      .map((meant) => ({ meant, edits: editDistance(option, meant) }))
      .filter(({ edits }) => edits <= mostEdits)
      .sort((a, b) => a.edits - b.edits)
    return nearest ? [{ option, meant: nearest.meant }] : []
  })
}

export function misspeltText({ option, meant }: Misspelt): string {
  return `${option} is no option that is read: did you mean ${meant}?`
}

/** What was meant is not what is checked. */
export function misspeltChecks(reading: LaunchReading | null, pointer: string): readonly Check[] {
  if (!reading) return []
  return misspeltIn(reading).map((one) => ({
    name: 'understood',
    ok: false,
    pointer,
    expected: one.meant,
    actual: one.option,
    message: misspeltText(one),
  }))
}
