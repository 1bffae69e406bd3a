/** A chip as the catalogue keeps it: the data sheet's figures, the book's rounded ones where they differ, and a citation for every number. */
import type { Basis } from '../assumptions/assumptions.ts'
import type { Chip } from './chip.ts'

/** The book's figures where they are not the data sheet's; used under the `book` assumptions. */
export type BookFigures = Partial<Pick<Chip, 'peakFlopsPerSecond' | 'hbmBytes' | 'hbmBytesPerSecond'>>

export interface ChipRecord extends Chip {
  readonly title: string
  /** Other names under which people ask for it, in lower case. */
  readonly aliases: readonly string[]
  readonly book?: BookFigures
  /** Citations by JSON pointer into this record; a pointer covers all below it. */
  readonly sources: Readonly<Record<string, string>>
}

/** The chip without what its record says of it; one that a request spells out may leave that away. */
export function chipOf(record: Chip & Partial<ChipRecord>, basis: Basis): Chip {
  const { title: _title, aliases: _aliases, sources: _sources, book, ...chip } = record
  if (basis !== 'book' || !book) return chip
  return { ...chip, ...book, peakFlopsPerSecond: { ...chip.peakFlopsPerSecond, ...book.peakFlopsPerSecond } }
}
