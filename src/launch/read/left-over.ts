/** What nobody took of a launch file: settings known to be immaterial for a plan, and those not understood. */
import type { LaunchReading } from './reading.ts'

export type LeftOver = Pick<LaunchReading, 'ignored' | 'notUnderstood' | 'known'>

export function leftOver(
  left: readonly string[],
  isImmaterial: (name: string) => boolean,
  known: readonly string[] = [],
): LeftOver {
  return {
    known,
    ignored: left.filter(isImmaterial),
    notUnderstood: left.filter((name) => !isImmaterial(name)),
  }
}

/** Matches names by their prefixes. */
export function beginningWith(starts: readonly string[]): (name: string) => boolean {
  return (name) => starts.some((start) => name.startsWith(start))
}
