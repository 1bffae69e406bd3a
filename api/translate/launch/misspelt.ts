/** Options of a launch file that are not understood but resemble one that is read: what runs is probably not what was meant. */
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Check } from '../../../src/validation/check.ts'
import { editDistance } from '../../hints/nearest.ts'

interface Misspelt {
  readonly option: string
  readonly meant: string
}

/** Different options are further apart than this, unless they are abbreviations. */
const mostEdits = 2
const shortest = '--tp-size'.length + 1

export function misspeltIn({ notUnderstood, known = [] }: LaunchReading): readonly Misspelt[] {
  return notUnderstood.flatMap((text) => {
    const option = optionIn(text)
    if (!option.startsWith('--') || option.length < shortest) return []
    const [nearest] = known
      .map((meant) => ({ meant, edits: editDistance(option, meant) }))
      .filter(({ edits }) => edits <= mostEdits)
      .sort((a, b) => a.edits - b.edits)
    return nearest ? [{ option, meant: nearest.meant }] : []
  })
}

/** The name of an option that is written with its values. */
export function optionIn(text: string): string {
  const [option = ''] = text.split(/[\s=]/)
  return option
}

export function misspeltText({ option, meant }: Misspelt): string {
  return `${option} is no option that is read: did you mean ${meant}?`
}

/** A misspelt option is a failed check, because the plan that is checked is not the one that was meant. */
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
