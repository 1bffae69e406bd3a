/**
 * Something that must not be, as a row. A search tests `broken` at the outermost level where all that it reads is
 * known; an answer gives `says` as the reason.
 */
export interface Rule<Read> {
  /** Runs for every candidate of a search, so it allocates nothing and reads only what its level knows. */
  readonly broken: (read: Read) => boolean
  /** The reason, in words. */
  readonly says: string | ((read: Read) => string)
  /** Whether it is only that no flags are written for this: the framework may run it, as launch files of its own do. */
  readonly unwritten?: true
}

export function keeps<Read>(rules: readonly Rule<Read>[], read: Read): boolean {
  for (const { broken } of rules) if (broken(read)) return false
  return true
}

/** The reasons of all broken rules. */
export function faults<Read>(rules: readonly Rule<Read>[], read: Read): readonly string[] {
  return rules.filter(({ broken }) => broken(read)).map(({ says }) => saidOf(says, read))
}

/** What a column says of what is read: the same of all, or made of it. */
export function saidOf<Read>(column: string | ((read: Read) => string), read: Read): string {
  return typeof column === 'string' ? column : column(read)
}

export function unwrittenAmong<Read>(rules: readonly Rule<Read>[]): readonly Rule<Read>[] {
  return rules.filter(({ unwritten }) => unwritten)
}
