/** What of a launch file nobody took: what is known to have no say in a plan, apart from what was not understood. */
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

/** Names by how they begin. */
export function beginningWith(starts: readonly string[]): (name: string) => boolean {
  return (name) => starts.some((start) => name.startsWith(start))
}
