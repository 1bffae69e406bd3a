/**
 * What may not be, as a row: the search asks whether it is broken, at the outermost level where all that it reads is known;
 * an answer asks why not.
 */
export interface Rule<Read> {
  /** Asked of every candidate of a search: it makes nothing, and reads no more than its level knows. */
  readonly broken: (read: Read) => boolean
  /** Why what breaks it may not be. */
  readonly says: string | ((read: Read) => string)
}

export function keeps<Read>(rules: readonly Rule<Read>[], read: Read): boolean {
  for (const { broken } of rules) if (broken(read)) return false
  return true
}

/** What is said of each rule that is broken. */
export function faults<Read>(rules: readonly Rule<Read>[], read: Read): readonly string[] {
  return rules
    .filter(({ broken }) => broken(read))
    .map(({ says }) => (typeof says === 'string' ? says : says(read)))
}
