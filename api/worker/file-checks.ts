/** Checks of a launch file itself, beside those of the plan that it says. */
import type { Framework } from '../../src/launch/framework.ts'
import { type LaunchReading, writtenFor } from '../../src/launch/read/reading.ts'
import type { Check } from '../../src/validation/check.ts'

/** The check that the file's framework launches the plan fails where it does not start the file. */
export function withRefusals(
  checks: readonly Check[],
  reading: LaunchReading | null,
  launchableBy: readonly Framework[] = [],
): readonly Check[] {
  const framework = reading && writtenFor(reading.framework)
  const refusals = reading?.refusals ?? []
  if (!framework || refusals.length === 0 || !launchableBy.includes(framework)) return checks
  const told = `${framework}: ${refusals.join('; ')}`
  return checks.map((check) => {
    if (check.name !== 'launchableBy') return check
    const { nearest, ...own } = check
    return {
      ...own,
      ok: false,
      actual: 'a file that is refused',
      message: check.ok ? told : `${told}. ${check.message}`,
    }
  })
}

/** Without the check that the plan fits, if it does, where what it was completed with is not what the file keeps in memory. */
export function withoutUnheld(checks: readonly Check[], reading: LaunchReading | null): readonly Check[] {
  if ((reading?.unheld ?? []).length === 0) return checks
  return checks.filter(({ name, ok }) => name !== 'fits' || !ok)
}
