/** What nobody took of a launch file: settings known to be immaterial for a plan, and those not understood. */
import type { LaunchReading } from './reading.ts'

/** The words of texts with blanks between them. */
export function wordsOf(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(/\s+/)).filter(Boolean)
}

export type LeftOver = Pick<LaunchReading, 'ignored' | 'notUnderstood' | 'known' | 'undashed'>

export function leftOver(
  left: readonly string[],
  isImmaterial: (name: string) => boolean,
  known: readonly string[] = [],
  undashed: readonly string[] = [],
): LeftOver {
  return {
    ...{ known, undashed },
    ignored: left.filter(isImmaterial),
    notUnderstood: left.filter((name) => !isImmaterial(name)),
  }
}

/** Matches names by their prefixes, which each text has with blanks between them. */
export function beginningWith(...texts: readonly string[]): (name: string) => boolean {
  const starts = wordsOf(...texts)
  return (name) => starts.some((start) => name.startsWith(start))
}
